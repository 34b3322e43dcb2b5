import FireLite
import FireLiteR4
import FireLiteSynthetic
import Testing

/// The examples of Testing.md.
@Suite struct TestingExamples {
    // example Testing.md
    @Test func theNewestWeightIsFound() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            for (id, day) in [("a", "2024-01-01"), ("b", "2024-02-01")] {
                try tx.add(
                    Observation {
                        $0.id = id
                        $0.effectiveDateTime = FHIRDateTime(day)
                    })
            }
        }
        let newest = try store.query(Observation.self)
            .sort { $0.effectiveDateTime.descending }.first()
        #expect(newest?.id == "b")
    }
    // end

    @Test func syntheticPatients() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        // example Testing.md
        try store.write { tx in
            _ = try tx.upsert(Array(SyntheticPatients(count: 20, seed: 1, ids: .numbers)))
        }
        // end
        #expect(try store.count(Patient.self) == 20)
        // example Testing.md
        #expect(try store.check().isEmpty)
        // end
    }

    @Test func comparing() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "1"
                    $0.gender = .female
                })
        }
        // example Testing.md
        let stored = try store.resource(Patient.self, id: "1")
        let expected = try Patient(json: #"{"resourceType": "Patient", "id": "1", "gender": "female"}"#)
        #expect(stored == expected)
        // end
    }

    @Test func twoStores() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            // example Testing.md
            let mine = try FHIRStore(path: path, release: .r4)
            let theirs = try FHIRStore(path: path, release: .r4)
            try theirs.write { tx in try tx.add(Patient { $0.id = "1" }) }
            #expect(try mine.count(Patient.self) == 1)
            // end
        }
    }

    @Test func errors() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient()) }
            let path = store.path
            // example Testing.md
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            let archive = try FHIRStore(path: path, release: .r4, configuration: configuration)
            let error = #expect(throws: FHIRStoreError.self) {
                try archive.write { tx in try tx.add(Patient()) }
            }
            #expect(error?.code == .readOnly)
            // end
        }
    }
}

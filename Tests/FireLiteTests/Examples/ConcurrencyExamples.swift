import FireLite
import FireLiteR4
import Foundation
import Testing

/// The examples of Concurrency.md.
@Suite struct ConcurrencyExamples {
    private let data = Data(#"{"resourceType": "Patient", "id": "1", "birthDate": "2015", "name": [{"family": "Miller"}]}"#.utf8)

    @Test func asynchronousForms() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let data = data
        // example Concurrency.md
        let count = try await store.query(Patient.self).count()
        let children = try await store.query(Patient.self)
            .where { $0.birthDate > "2010" }.all()
        let id = try await store.write { tx in
            try tx.upsert(try FHIRJSON.decode(Patient.self, from: data)).id
        }
        // end
        #expect(count == 0 && children.isEmpty && id == "1")
        let found = try await store.query(Patient.self).where { $0.birthDate > "2010" }.all()
        #expect(found.map(\.id) == ["1"])
        let patient = try #require(found.first)
        // example Concurrency.md
        let pk = patient.pk
        let family = try await store.read { tx in
            try tx.resource(Patient.self, pk: pk)?.name.first?.family
        }
        // end
        #expect(family == "Miller")
        // example Concurrency.md
        let search = _Concurrency.Task {
            try await store.query(Observation.self)
                .where { $0.code.text.contains("weight") }.ids()
        }
        search.cancel()
        // end
        do {
            #expect(try await search.value == [])
        } catch {
            #expect(error is CancellationError)
        }
    }

    @Test func handingOver() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        // example Concurrency.md
        let newcomer = Patient { $0.id = "2" }
        let copy = newcomer.copy()
        let saved = try await store.write { tx in try tx.upsert(copy) }
        print(saved.pk)
        // end
        let patient = try #require(try await store.resource(Patient.self, id: "2"))
        // example Concurrency.md
        try store.blocking { try $0.write { _ in patient.active = true } }
        // end
        #expect(patient.active == true)
        do {
            // example Concurrency.md
            var draft = Draft(patient)
            draft.active = false
            draft = try await store.save(draft)
            // end
            #expect(draft.baseVersion == 3)
        }
        let files = [data]
        // example Concurrency.md
        try await store.write { tx in
            for data in files {
                try tx.checkCancellation()
                try tx.upsert(try FHIRJSON.decode(Patient.self, from: data))
            }
        }
        // end
        // example Concurrency.md
        try await store.createIndexes(.codes) { progress in
            print(progress.completed, progress.total ?? 0)
        }
        // end
        #expect(try await store.query(Patient.self).ids() == ["2", "1"])
    }

    @Test func oneSnapshot() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in try tx.add(Patient()) }
        // example Concurrency.md
        let (patients, observations) = try store.read { tx in
            (try tx.count(Patient.self), try tx.count(Observation.self))
        }
        // end
        #expect(patients == 1 && observations == 0)
    }

    @Test func conflicts() throws {
        try withStore { store in
            let patient = try Patient(json: data)
            try store.write { tx in try tx.add(patient) }
            let other = try FHIRStore(path: store.path, release: .r4)
            try other.write { tx in try tx.resource(Patient.self, id: "1")?.active = true }
            let before = #expect(throws: FHIRStoreError.self) { try store.write { _ in patient.gender = .male } }
            #expect(before?.code == .conflict && patient.gender == nil)
            // example Concurrency.md
            do {
                try store.write { _ in patient.gender = .female }
            } catch let error as FHIRStoreError where error.code == .conflict {
                try store.write { tx in try tx.resource(Patient.self, id: "1")?.gender = .female }
            }
            // end
            let stored = try store.resource(Patient.self, id: "1")
            #expect(stored?.gender == .female && stored?.active == true)
        }
    }
}

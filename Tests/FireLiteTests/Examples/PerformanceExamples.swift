import FireLite
import FireLiteR4
import Testing

/// The examples of Performance.md.
@Suite struct PerformanceExamples {
    private let observations = (0..<100).map { number in
        Observation {
            $0.id = "\(number)"
            $0.status = .final
        }
    }

    @Test func writingAndReading() throws {
        try withStore { store in
            // example Performance.md
            try store.write { tx in
                let result = try tx.upsert(observations)
                print(result.added, result.updated, result.unchanged)
            }
            // end
            try store.write { tx in
                for id in ["1", "2", "3"] {
                    try tx.add(
                        Patient {
                            $0.id = id
                            $0.birthDate = "1970"
                        })
                }
            }
            // example Performance.md
            let some = try store.resources(Patient.self, ids: ["1", "2"])
            let births = try store.query(Patient.self).values(\.id, \.birthDate)
            let total = try store.query(Observation.self)
                .where { $0.status == .final }.count()
            let newest = try store.query(Observation.self)
                .sort { $0.effectiveDateTime.descending }.limit(50).all()
            try store.query(Observation.self).forEach(batch: 100) { observation in
                _ = observation.code?.text
            }
            // end
            #expect(some.map(\.id) == ["1", "2"] && births.count == 3 && total == 100 && newest.count == 50)

            // example Performance.md
            try store.createIndex(Observation.self) { $0.code.coding.code }
            try store.createIndexes(.references)
            // end
            try store.write { tx in
                try tx.add(Observation { $0.code = CodeableConcept { $0.coding = [Coding { $0.code = "8867-4" }] } })
            }
            // example Performance.md
            let plan = try store.query(Observation.self)
                .where { $0.code.coding.code == "8867-4" }.explain()
            // end
            #expect(plan.contains("USING") && plan.contains("Observation_code_coding__code"), "\(plan)")
        }
    }

    @Test func valuesOnAllCores() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in
            let dates: [FHIRDate] = ["1970", "1970-02-03", "1980-01"]
            for (number, date) in dates.enumerated() {
                try tx.add(
                    Patient {
                        $0.birthDate = date
                        $0.name = [HumanName { $0.family = "Family \(number + 1)" }]
                    })
            }
        }
        try store.blocking { store in
            // example Performance.md
            let families = try store.compactMap(Patient.self) { $0.name.first?.family }
            var byYear: [Int: Int] = [:]
            try store.forEach(Patient.self, transform: { $0.birthDate?.dateComponents.year }) { year in
                byYear[year, default: 0] += 1
            }
            // end
            #expect(families == ["Family 1", "Family 2", "Family 3"] && byYear == [1970: 2, 1980: 1])
        }
        // example Performance.md
        var histogram: [Int: Int] = [:]
        for year in try await store.compactMap(Patient.self, { $0.birthDate?.dateComponents.year }) {
            histogram[year, default: 0] += 1
        }
        // end
        #expect(histogram == [1970: 2, 1980: 1])
    }

    @Test func filling() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/new.sqlite"
            // example Performance.md
            var configuration = FHIRStore.Configuration()
            configuration.durability = .bulk
            let filling = try FHIRStore(path: path, release: .r4, configuration: configuration)
            // end
            try filling.write { tx in _ = try tx.upsert(observations) }
            try filling.close()
            #expect(try FHIRStore(path: path, release: .r4).count(Observation.self) == 100)
        }
    }
}

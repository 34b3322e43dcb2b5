import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// Records created with one call are those created one by one.
@Suite(.timeLimit(.minutes(30))) struct RecordsTogetherTests {
    private struct Facts: Equatable {
        let annotations: [String]
        let metadata: RecordMetadata
    }

    private func facts(_ store: FHIRStore) throws -> [String: Facts] {
        var facts: [String: Facts] = [:]
        for type in ["Observation", "Patient"] {
            var ids: [String] = []
            try store.read { tx in try tx.forEach(typeName: type) { if let id = $0.id { ids.append(id) } } }
            for id in ids {
                let summary = try #require(try store.records.summary(type, id: id))
                facts["\(type)/\(id)"] = Facts(annotations: summary.annotations, metadata: summary.metadata)
            }
        }
        return facts
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func oneCallCreatesWhatManyDo(_ seed: UInt64) throws {
        try withRecordStore { together in
            try withRecordStore { apart in
                let clock = TestClock()
                for store in [together, apart] { clock.follow(store) }
                var random = SeededGenerator(seed: seed)
                for round in 0..<6 {
                    _ = clock.advance()
                    // Some ids are taken, some were deleted, some occur twice.
                    let ids = (0..<random.int(1...40)).map { _ in "o\(random.int(0...(round == 0 ? 1_000 : 60)))" }
                    let annotations = Array(["a", "b", "c"].prefix(random.int(0...3)))
                    let result = try together.records.create(ids.map { observation($0) }, annotations: annotations)
                    var failed: [Int] = []
                    for (index, id) in ids.enumerated() {
                        do { try apart.records.create(observation(id), annotations: annotations) } catch is RecordError {
                            failed.append(index)
                        }
                    }
                    #expect(result.failed.map(\.index) == failed && result.succeeded.count == ids.count - failed.count, "seed \(seed)")
                    #expect(result.succeeded.allSatisfy { $0.annotations == annotations && $0.metadata.created != nil })
                    #expect(try facts(together) == facts(apart), "seed \(seed), round \(round)")
                    // Resources that are written without records, too.
                    let patients = (0..<random.int(0...20)).map { _ in "p\(random.int(0...30))" }
                    for store in [together, apart] {
                        try store.write { tx in
                            if store === together {
                                _ = try tx.upsert(patients.map { id in Patient { $0.id = id } })
                            } else {
                                for id in patients { try tx.upsert(Patient { $0.id = id }) }
                            }
                        }
                        for number in [round, round + 10, round + 20] {
                            try store.write { tx in
                                _ = try tx.delete(typeName: "Observation", id: "o\(number)")
                                _ = try tx.delete(typeName: "Patient", id: "p\(number)")
                            }
                        }
                    }
                    #expect(try facts(together) == facts(apart), "seed \(seed), round \(round)")
                }
            }
        }
    }

    @Test func deletingAndAddingInOneWriteContinuesTheRecord() throws {
        try withRecordStore { store in
            let clock = TestClock()
            clock.follow(store)
            let begun = clock.now
            try store.records.create([observation("a"), observation("b"), observation("c")], annotations: ["x"])
            let changed = clock.advance()
            try store.write { tx in
                _ = try tx.delete(Observation.self, id: "b")
                _ = try tx.upsert([observation("b"), observation("d")])
            }
            let b = try #require(try store.records.summary("Observation", id: "b"))
            #expect(b.metadata.created == begun && b.metadata.updated == changed && b.annotations == ["x"])
            #expect(try store.records.summary("Observation", id: "d")?.metadata.created == changed)
        }
    }

    @Test func aResourceThatCannotBeStoredFailsAlone() throws {
        try withRecordStore { store in
            let deep = observation("deep")
            var inner: Extension?
            for _ in 0..<1_000 {
                let outer = Extension { $0.url = "u:1" }
                if let inner { outer.extension = [inner] }
                inner = outer
            }
            deep.extension = inner.map { [$0] } ?? []
            let result = try store.records.create([observation("a"), deep, observation(nil)], annotations: ["x"])
            #expect(result.succeeded.count == 2 && result.failed.map(\.index) == [1] && result.failed.map(\.id) == ["deep"])
            #expect(try store.records.count("Observation", annotations: ["x"]) == 2)
        }
    }
}

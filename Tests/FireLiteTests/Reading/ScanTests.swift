import FireLiteR4
import Testing

@testable import FireLite

/// A scan hands each resource on before it reads the next one: whatever is done meanwhile, each comes once, whole and in order.
@Suite(.soundStores) struct ScanTests {
    private struct Enough: Error {}

    /// More than two batches, with lists that every third one has.
    private static let count = 600

    private func store() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            _ = try transaction.upsert((0..<Self.count).map(Self.patient))
        }
        return store
    }

    private static func patient(_ number: Int) -> Patient {
        Patient {
            $0.id = "p\(number)"
            $0.name = (0..<number % 3).map { place in HumanName { $0.given = ["a\(number)", "b\(place)"] } }
            $0.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.code = "c\(number % 7)" }] }
        }
    }

    private let expected = (0..<Self.count).map { FHIRJSON.string(Self.patient($0)) }

    @Test func aBodyMayReadWhatIsBeingScanned() throws {
        let store = try store()
        try store.read { transaction in
            var seen: [String] = []
            try transaction.forEach(Patient.self) { patient in
                if seen.count % 150 == 149 {
                    var inner: [String] = []
                    try transaction.forEach(Patient.self) { inner.append(FHIRJSON.string($0)) }
                    #expect(inner == expected)
                    #expect(try transaction.resource(Patient.self, id: "p7").map { FHIRJSON.string($0) } == expected[7])
                    let coded = try transaction.query(Patient.self).where { $0.maritalStatus.coding.code == "c3" }.all()
                    #expect(coded.map { FHIRJSON.string($0) } == stride(from: 3, to: Self.count, by: 7).map { expected[$0] })
                    let some = try transaction.resources(Patient.self, ids: ["p599", "p0", "p599"])
                    #expect(some.map(\.id) == ["p599", "p0", "p599"] && some[0] === some[2])
                }
                seen.append(FHIRJSON.string(patient))
            }
            #expect(seen == expected)
        }
    }

    @Test func aBodyThatThrowsEndsTheScan() throws {
        let store = try store()
        try store.read { transaction in
            for limit in [1, 10, 300] {
                var seen = 0
                #expect(throws: Enough.self) {
                    try transaction.forEach(Patient.self) { _ in
                        seen += 1
                        if seen == limit { throw Enough() }
                    }
                }
                #expect(seen == limit)
            }
            var seen: [String] = []
            try transaction.forEach(Patient.self) { seen.append(FHIRJSON.string($0)) }
            #expect(seen == expected)
        }
    }

    @Test func whatIsKeptOutlivesTheScan() throws {
        let store = try store()
        var kept: [Patient] = []
        var names: [HumanName] = []
        try store.read {
            try $0.forEach(Patient.self) { patient in
                if kept.count < 300 { kept.append(patient) } else { names += patient.name }
            }
        }
        #expect(kept.map { FHIRJSON.string($0) } == Array(expected[..<300]))
        #expect(names.map { $0.given.last } == (300..<Self.count).flatMap { number in (0..<number % 3).map { "b\($0)" } })
    }

    @Test func aWriteMayChangeWhatItScans() throws {
        let store = try store()
        try store.write { transaction in
            var seen = 0
            try transaction.forEach(Patient.self) { patient in
                seen += 1
                patient.name.append(HumanName { $0.family = "f\(seen)" })
                // A row that comes later in the same table of names.
                if seen == 2 { try transaction.resource(Patient.self, id: "p5")?.name.removeFirst() }
            }
            #expect(seen == Self.count)
        }
        try store.read { transaction in
            var number = 0
            try transaction.forEach(Patient.self) { patient in
                #expect(patient.name.count == number % 3 + (number == 5 ? 0 : 1))
                #expect(patient.name.last?.family == "f\(number + 1)")
                number += 1
            }
        }
    }
}

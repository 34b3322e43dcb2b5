import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import TestSupport
import Testing

@testable import FireLite

/// Many resources that are read together, near one another in the file or far apart: each is what it is alone.
@Suite(.soundStores) struct ManyResourcesTests {
    /// Between two patients, resources of another type, more than a pass over the tables would step over.
    private static let count = 150
    private static let between = 12

    private static func patient(_ number: Int) -> Patient {
        Patient {
            $0.id = "p\(number)"
            $0.name = (0..<number % 4).map { place in HumanName { $0.given = ["a\(number)", "b\(place)"] } }
            $0.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.code = "c\(number % 3)" }] }
            if number % 5 == 0 {
                $0.contained = [
                    Organization {
                        $0.id = "o"; $0.name = "n\(number)"
                    }
                ]
            }
        }
    }

    private func store() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            for number in 0..<Self.count {
                let others: [FHIRResource] = (0..<Self.between).map { place in
                    Encounter {
                        $0.id = "e\(number)-\(place)"
                        $0.status = .finished
                    }
                }
                _ = try transaction.upsert([Self.patient(number) as FHIRResource] + others)
            }
        }
        return store
    }

    private let expected = (0..<Self.count).map { FHIRJSON.string(Self.patient($0)) }

    @Test func theyAreWhatEachIsAlone() throws {
        let store = try store()
        var random = SeededGenerator(seed: 11)
        for size in [1, 4, 5, 15, 16, 17, 63, 64, 65, 128, Self.count] {
            for step in [1, 2, 7] {
                let numbers = Array(stride(from: 0, to: Self.count, by: step).prefix(size)).shuffled(using: &random)
                let found = try store.resources(Patient.self, ids: numbers.map { "p\($0)" })
                #expect(found.map { FHIRJSON.string($0) } == numbers.map { expected[$0] })
            }
        }
        for code in 0..<3 {
            let found = try store.query(Patient.self).where { $0.maritalStatus.coding.code == "c\(code)" }.all()
            #expect(found.map { FHIRJSON.string($0) } == stride(from: code, to: Self.count, by: 3).map { expected[$0] })
        }
    }

    @Test func onlyTheirRowsAreRead() throws {
        let store = try store()
        try store.read { transaction in
            let before = transaction.access.reader.rowsRead
            let found = try transaction.query(Patient.self).where { $0.maritalStatus.coding.code == "c1" }.all()
            let read = transaction.access.reader.rowsRead - before
            #expect(try read == found.reduce(0) { try $0 + transaction.rows(of: $1).count })
        }
    }

    @Test func aBodyMayReadWhatIsBeingRead() throws {
        let store = try store()
        try store.read { transaction in
            var seen: [String] = []
            try transaction.forEach(Patient.self) { patient in
                if seen.count % 40 == 39 {
                    let some = try transaction.resources(Patient.self, ids: (0..<20).map { "p\($0 * 7)" })
                    #expect(some.map { FHIRJSON.string($0) } == (0..<20).map { expected[$0 * 7] })
                    var inner: [String] = []
                    try transaction.forEach(Patient.self) { inner.append(FHIRJSON.string($0)) }
                    #expect(inner == expected)
                }
                seen.append(FHIRJSON.string(patient))
            }
            #expect(seen == expected)
        }
    }

    @Test func unknownAndRepeatedIDsAreFoundAsBefore() throws {
        let store = try store()
        let ids = (0..<40).flatMap { ["p\($0 * 3)", "x\($0)", "p\($0 % 5)", ""] }
        let found = try store.resources(Patient.self, ids: ids)
        #expect(found.compactMap(\.id) == ids.filter { $0.hasPrefix("p") })
        let firsts = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(found.allSatisfy { firsts[$0.id] === $0 })
    }

    /// In a write, what was changed and not saved yet is what is found.
    @Test func changesOfAWriteAreFound() throws {
        let store = try store()
        try store.write { transaction in
            let ids = (0..<30).map { "p\($0 * 4)" }
            for patient in try transaction.resources(Patient.self, ids: ids) { patient.gender = .other }
            let again = try transaction.query(Patient.self).where { $0.gender == .other }.all()
            #expect(again.compactMap(\.id) == ids)
            try #require(again.first).name = [HumanName { $0.family = "F" }]
            #expect(try transaction.resources(Patient.self, ids: ids.reversed()).last?.name.first?.family == "F")
        }
        #expect(try store.resources(Patient.self, ids: ["p0", "p4", "p1"]).map(\.gender) == [.other, .other, nil])
    }

    /// A resource without its row in the registry is an error, whether others are far away or near.
    @Test func oneWithoutARegistrationIsAnError() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { transaction in _ = try transaction.upsert((0..<40).map(Self.patient)) }
            }
            let connection = try Connection(path: path)
            try connection.execute("DELETE FROM _resource WHERE root = (SELECT _k >> 24 FROM Patient WHERE id = 'p9')")
            let store = try FHIRStore(path: path, release: .r4)
            for ids in [(0..<40).map { "p\($0)" }, ["p0", "p9", "p39"], ["p9"]] {
                let error = #expect(throws: FHIRStoreError.self) { try store.resources(Patient.self, ids: ids) }
                #expect(error?.code == .notAStore)
            }
            let others = (0..<40).filter { $0 != 9 }
            let found = try store.resources(Patient.self, ids: others.map { "p\($0)" })
            #expect(found.map { FHIRJSON.string($0) } == others.map { expected[$0] })
        }
    }
}

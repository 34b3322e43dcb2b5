import FireLiteR4
import Testing

@testable import FireLite
@testable import TestSupport

/// A resource whose shape is read often is read with one statement: what comes of it is what the single tables give.
@Suite(.soundStores) struct ShapeReaderTests {
    private static let reads = 7

    private func expectSame(_ id: String, _ expected: String, in store: FHIRStore, _ type: FHIRResource.Type) throws {
        for _ in 0..<Self.reads {
            let found = try store.resource(typeName: type._layout.name, id: id)
            #expect(found.map { FHIRJSON.string($0) } == expected)
        }
    }

    private func shapesWithReader(_ store: FHIRStore) throws -> Int {
        try store.read { transaction in transaction.access.reader.shapesWithReader.count }
    }

    @Test func resourcesAreReadAsTheyWereStored() throws {
        let store = try freshStore()
        var random = RandomInstance(seed: 31)
        let resources = (0..<120).map { number in
            let resource = random.resource(of: .r4)
            resource.id = "\(number)"
            return resource
        }
        let expected = resources.map { FHIRJSON.string($0) }
        try store.write { transaction in _ = try transaction.upsert(resources) }
        for (number, resource) in resources.enumerated() {
            try expectSame("\(number)", expected[number], in: store, type(of: resource))
        }
        let count = try shapesWithReader(store)
        #expect(count > 50)
    }

    @Test func rowsAreReadOnce() throws {
        let store = try freshStore()
        let patient = Patient {
            $0.id = "1"
            $0.name = (0..<300).map { number in HumanName { $0.given = ["a\(number)", "b"] } }
            $0.telecom = [ContactPoint { $0.value = "1" }]
        }
        let expected = FHIRJSON.string(patient)
        try store.write { transaction in _ = try transaction.upsert([patient]) }
        try expectSame("1", expected, in: store, Patient.self)
        for _ in 0..<Self.reads {
            try store.read { transaction in
                let before = transaction.access.reader.rowsRead
                _ = try transaction.resource(Patient.self, id: "1")
                #expect(transaction.access.reader.rowsRead - before == 1 + 300 + 600 + 1)
            }
        }
        #expect(try shapesWithReader(store) == 1)
    }

    @Test func listsKeepTheirOrderWhenTheyAreEdited() throws {
        let store = try freshStore()
        func name(_ number: Int) -> HumanName {
            HumanName {
                $0.family = "\(number)"
                $0.given = ["a\(number)", "b\(number)"]
            }
        }
        let patient = Patient {
            $0.id = "1"
            $0.name = (0..<4).map(name)
        }
        try store.write { transaction in _ = try transaction.upsert([patient.copy()]) }
        var random = SeededGenerator(seed: 5)
        for turn in 4..<12 {
            try store.write { transaction in
                guard let stored = try transaction.resource(Patient.self, id: "1") else { return }
                stored.name.shuffle(using: &random)
                stored.name.insert(name(turn), at: 1)
                stored.name[2].given.reverse()
                try patient.populate(from: stored)
            }
            try expectSame("1", FHIRJSON.string(patient), in: store, Patient.self)
        }
        #expect(try shapesWithReader(store) == 1)
    }

    /// A column that another connection adds belongs to what is read from then on.
    @Test func columnsOfOthersAreRead() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let (store, other) = (try FHIRStore(path: path, release: .r4), try FHIRStore(path: path, release: .r4))
            let patient = Patient {
                $0.id = "1"
                $0.name = [HumanName { $0.family = "F" }]
            }
            let changes: [(Patient) -> Void] = [
                { $0.active = true }, { $0.name[0].text = "T" }, { $0.gender = .other },
                { $0.name[0].period = Period { $0.start = "2020" } },
                // Lists of inlined elements that have no column of their own.
                { $0.meta = Meta { $0.profile = ["http://example.org/p"] } },
                { $0.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.code = "M" }] } },
            ]
            for change in changes {
                try other.write { transaction in _ = try transaction.upsert([patient.copy()]) }
                try expectSame("1", FHIRJSON.string(patient), in: store, Patient.self)
                #expect(try shapesWithReader(store) == 1)
                change(patient)
            }
            try other.write { transaction in _ = try transaction.upsert([patient.copy()]) }
            try expectSame("1", FHIRJSON.string(patient), in: store, Patient.self)
            try expectSound(store)
        }
    }

    /// Statements are kept for so many shapes only, and what they read is right before and after they are dropped.
    @Test func manyShapesAreReadWithAFewStatements() throws {
        let store = try freshStore()
        let lists: [(Patient) -> Void] = [
            { $0.name = [HumanName { $0.text = "n" }] }, { $0.telecom = [ContactPoint { $0.value = "t" }] },
            { $0.address = [Address { $0.text = "a" }] }, { $0.identifier = [Identifier { $0.value = "i" }] },
            { $0.link = [PatientLink { $0.type = .seealso }] }, { $0.photo = [Attachment { $0.title = "p" }] },
            { $0.contact = [PatientContact { $0.gender = .other }] }, { $0.generalPractitioner = [Reference { $0.display = "g" }] },
        ]
        let patients = (0..<256).map { number in
            Patient { patient in
                patient.id = "\(number)"
                for (place, list) in lists.enumerated() where number >> place & 1 == 1 { list(patient) }
            }
        }
        let expected = patients.map { FHIRJSON.string($0) }
        try store.write { transaction in _ = try transaction.upsert(patients) }
        for _ in 0..<3 {
            for (number, expected) in expected.enumerated() { try expectSame("\(number)", expected, in: store, Patient.self) }
            let count = try shapesWithReader(store)
            #expect(count > 100 && count <= ResourceReader.maximumShapeReaders)
        }
    }

    /// A statement of thousands of results is not compiled; the tables are read one by one.
    @Test func aVeryWideShapeIsReadTableByTable() throws {
        let store = try freshStore()
        var random = RandomInstance(seed: 77, mode: .everything(round: 0))
        let resource = random.make(ExplanationOfBenefit.self)
        resource.id = "1"
        let expected = FHIRJSON.string(resource)
        try store.write { transaction in _ = try transaction.upsert([resource]) }
        try expectSame("1", expected, in: store, ExplanationOfBenefit.self)
        #expect(try shapesWithReader(store) == 0)
    }
}

import FireLite
import FireLiteR4
import Testing

@testable import TestSupport

/// Large upserts insert rows and look ids up several at a time: what is stored and what is told is as if each came by itself.
@Suite struct GroupedStatementTests {
    private static func resources(seed: UInt64, _ count: Int) -> [FHIRResource] {
        var random = RandomInstance(seed: seed)
        return (0..<count).map { number in
            // Runs of one type, longer and shorter than a statement's group, with elements that come and go.
            let resource: FHIRResource = number / 11 % 2 == 0 ? random.make(Patient.self) : random.make(Observation.self)
            resource.id = "\(number)"
            return resource
        }
    }

    private func content(_ store: FHIRStore) throws -> [String: String] {
        var content: [String: String] = [:]
        try store.read { transaction in
            for name in ["Patient", "Observation"] {
                try transaction.forEach(typeName: name) { content["\(name)/\($0.id ?? "")"] = FHIRJSON.string($0) }
            }
        }
        return content
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func rowsAreThoseOfSingleUpserts(seed: UInt64) throws {
        let count = 160
        try withStore { grouped in
            try grouped.write { tx in _ = try tx.upsert(Self.resources(seed: seed, count)) }
            try withStore { single in
                for resource in Self.resources(seed: seed, count) { try single.write { tx in _ = try tx.upsert(resource) } }
                let (rows, singleRows) = (try rowCounts(grouped), try rowCounts(single))
                #expect(rows == singleRows)
                #expect(try content(grouped) == content(single))
            }
            let expected = Self.resources(seed: seed, count).map { FHIRJSON.string($0) }
            #expect(try content(grouped).values.sorted() == expected.sorted())
        }
    }

    /// Which of them are known, changed or here twice is drawn at random, and counted beside.
    @Test(arguments: [4, 5, 6, 7] as [UInt64])
    func outcomesAreThoseOfADictionary(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func patient(_ id: Int, _ version: Int) -> Patient {
            Patient {
                $0.id = "\(id)"
                $0.name = (0..<version % 3).map { number in
                    HumanName {
                        $0.family = "F\(version)"; $0.given = ["G\(number)"]
                    }
                }
                $0.active = version == 0 ? nil : version % 2 == 0
            }
        }
        try withStore { store in
            var stored: [Int: Int] = [:]
            for _ in 0..<25 {
                let drawn = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    (id: Int.random(in: 0..<60, using: &random), version: Int.random(in: 0..<3, using: &random))
                }
                // Of one id the last counts; where all of them are as stored, each is unchanged.
                let last = Dictionary(drawn.map { ($0.id, $0.version) }) { $1 }
                let isQuiet = drawn.allSatisfy { stored[$0.id] == $0.version }
                let result = try store.write { tx in try tx.upsert(drawn.map { patient($0.id, $0.version) }) }
                let added = last.filter { stored[$0.key] == nil }.count
                let unchanged = last.filter { stored[$0.key] == $0.value }.count
                #expect(result.added == added)
                #expect(result.updated == last.count - added - unchanged)
                #expect(result.unchanged == (isQuiet ? drawn.count : unchanged))
                stored.merge(last) { $1 }
                for (place, drawn) in drawn.enumerated() {
                    #expect(try result.resource(at: place) == patient(drawn.id, last[drawn.id] ?? 0))
                }
                let ids = (0..<70).map { "\($0)" }
                let fetched = try store.read { tx in try tx.resources(Patient.self, ids: ids).map { FHIRJSON.string($0) } }
                let wanted = (0..<70).compactMap { id in stored[id].map { FHIRJSON.string(patient(id, $0)) } }
                #expect(fetched == wanted)
            }
        }
    }

    /// FHIR allows ids of 64 characters; what is longer, and not ASCII, is stored and found as it is.
    @Test func idsOfEveryLengthAreFound() throws {
        try withStore { store in
            let ids = (1...100).map { length in String(repeating: Array("abcdéfgh")[length % 8], count: length) }
            func patients() -> [Patient] {
                ids.enumerated().map { number, id in
                    Patient {
                        $0.id = id
                        $0.language = "\(number)"
                    }
                }
            }
            #expect(try store.write { tx in try tx.upsert(patients()).added } == 100)
            #expect(try store.write { tx in try tx.upsert(patients()).unchanged } == 100)
            let found = try store.resources(Patient.self, ids: ids.reversed())
            #expect(found.map(\.id) == ids.reversed())
            #expect(found.map(\.language) == (0..<100).reversed().map { "\($0)" })
            #expect(try ids.allSatisfy { try store.resource(Patient.self, id: $0)?.id == $0 })
        }
    }

    /// Resources of many and of few types after each other, and ids that two types have.
    @Test(arguments: [1, 2, 3, 17, 64, 65, 200]) func idsOfSeveralTypesAreFound(count: Int) throws {
        func resource(_ number: Int, _ language: String) -> FHIRResource {
            let resource: FHIRResource =
                switch number % 7 {
                case 0: Device()
                case 1, 3: Patient()
                default: Observation { $0.code = CodeableConcept { $0.text = "C" } }
                }
            resource.id = "\(number / 2)"
            (resource as? Resource)?.language = language
            return resource
        }
        try withStore { store in
            let numbers = Array(0..<count)
            let known = numbers.filter { $0 % 5 != 4 }
            let first = try store.write { tx in try tx.upsert(known.map { resource($0, "de") }) }
            let stored = Set(known.map { "\(resource($0, "").resourceType)/\($0 / 2)" })
            #expect(first.added == stored.count)
            let again = try store.write { tx in try tx.upsert(known.map { resource($0, "de") }) }
            #expect(again.unchanged == known.count)
            let all = Set(numbers.map { "\(resource($0, "").resourceType)/\($0 / 2)" })
            let changed = try store.write { tx in try tx.upsert(numbers.map { resource($0, "fr") }) }
            #expect(changed.added == all.count - stored.count)
            #expect(changed.updated == stored.count)
            for number in numbers {
                let expected = resource(number, "fr")
                #expect(try store.read { try $0.resource(typeName: expected.resourceType, id: "\(number / 2)") == expected })
            }
        }
    }

    /// `add` stores a second resource with an id; it is the first that is found, whether one looks for one id or for many.
    @Test func theFirstOfOneIDIsFound() throws {
        try withStore { store in
            let firsts = (0..<24).map { number in
                Patient {
                    $0.id = "\(number)"; $0.gender = .female
                }
            }
            try store.write { tx in
                for patient in firsts { try tx.add(patient) }
                for number in 0..<24 {
                    try tx.add(
                        Patient {
                            $0.id = "\(number)"; $0.gender = .male
                        })
                }
            }
            let ids = ["x"] + (0..<24).map { "\($0)" } + ["", "24"]
            let found = try store.read { tx in try tx.resources(Patient.self, ids: ids).map(\.pk) }
            #expect(found == firsts.map(\.pk))
            let result = try store.write { tx in
                try tx.upsert(
                    (0..<24).map { number in
                        Patient {
                            $0.id = "\(number)"; $0.gender = .female
                        }
                    })
            }
            #expect(result.unchanged == 24)
            #expect(try store.count(Patient.self) == 48)
        }
    }
}

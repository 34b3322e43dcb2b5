import FireLite
import FireLiteR4
import Foundation
import Testing

/// Values that mean something to SQL, files, terminals or Unicode are values like any other: they come back as they went in, from JSON, the
/// store and every kind of query.
@Suite(.soundStores) struct HostileDataTests {
    static let values = [
        "'); DROP TABLE Patient; --", "x' OR '1'='1", "\"; DELETE FROM _resource; --", "--", "/* x */", "?", "?1", ":name", "@name",
        "$name",
        "'", "\"", "`", "[x]", "''", "\"\"", ";", "NULL", "%", "_", "%_\\%", "*", "a*b", "\\", "\\\\", "{\"a\":1}", "[1]",
        "../../etc/passwd", "C:\\x\\y", "/", "\\u0041", "\u{0}", "a\u{0}b", "\u{0}\u{0}", "a\u{0}", "\u{1}", "\u{7}\u{8}\u{1B}[2J",
        "\u{7F}",
        "\u{85}", "\u{9B}31m", "\r\n", "\t", " ", "  a  ", "\u{A0}", "\u{200B}", "\u{200E}\u{202E}abc\u{202C}", "\u{2028}", "\u{FEFF}",
        "\u{FFFE}",
        "\u{FFFF}", "\u{10FFFF}", "é", "e\u{301}", "\"\u{301}", "'\u{301}", "\\\u{301}", "😀", "👩‍👩‍👧", "ﬀ", "İ", "ß", "true", "1", "1e5",
        "0x10",
        String(repeating: "c", count: 100_000),
    ]

    private func filled() throws -> FHIRStore {
        let store = try freshStore()
        if Library.hasFullText { try store.createFullTextIndex(Patient.self) { [$0.name.family, $0.name.given] } }
        try store.createIndex(Patient.self) { $0.name.family }
        try store.write { tx in
            for (number, value) in Self.values.enumerated() {
                try tx.add(
                    Patient {
                        $0.id = "\(number)"
                        $0.language = value
                        $0.name = [
                            HumanName {
                                $0.family = value; $0.given = [value, "x"]
                            }
                        ]
                        $0.identifier = [
                            Identifier {
                                $0.system = value; $0.value = value
                            }
                        ]
                    })
            }
        }
        return store
    }

    /// By bytes, as equal strings of Swift may differ in them.
    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

    @Test func valuesAreStoredAndReadUnchanged() throws {
        let store = try filled()
        for (number, value) in Self.values.enumerated() {
            let patient = try #require(try store.resource(Patient.self, id: "\(number)"))
            #expect(bytes(patient.name[0].family) == bytes(value))
            #expect(bytes(patient.name[0].given[0]) == bytes(value))
            #expect(bytes(patient.language) == bytes(value))
            let again = try Patient(json: FHIRJSON.string(patient))
            #expect(again == patient && bytes(again.identifier[0].system) == bytes(value))
        }
        #expect(try store.count(Patient.self) == Self.values.count)
        try expectSound(store)
    }

    @Test func foundByEveryKindOfQuery() throws {
        let store = try filled()
        let patients = store.query(Patient.self)
        for (number, value) in Self.values.enumerated() {
            let id = "\(number)"
            #expect(try patients.where { $0.name.family == value }.ids() == [id])
            #expect(try patients.where { $0.language == value }.ids() == [id])
            #expect(try patients.where { $0.name.any { $0.family == value && $0.given == value } }.ids() == [id])
            #expect(try patients.where { $0.name.family != value }.count() == Self.values.count - 1)
            #expect(try patients.where { $0.name.family.in([value, "no"]) }.ids() == [id])
            #expect(try patients.where { $0.name.family.in([value] + (0..<50_000 / 100).map { "no \($0)" }) }.ids() == [id])
            #expect(try patients.where { $0.name.family.contains(value) }.ids().contains(id))
            #expect(try patients.where { $0.name.family.hasPrefix(value) }.ids().contains(id))
            #expect(try patients.where { $0.name.family.hasSuffix(value) }.ids().contains(id))
            #expect(try patients.where { $0.name.family.equals(value, .all) }.ids().contains(id))
            #expect(try patients.where { $0.identifier.any { $0.system == value && $0.value == value } }.ids() == [id])
            #expect(throws: Never.self) { try patients.where { $0.name.family.like(value) }.ids() }
            if Library.hasFullText { #expect(throws: Never.self) { try patients.where { $0.matching(value) }.ids() } }
            #expect(try store.sql("SELECT family FROM Patient_name WHERE family = ?", arguments: [.text(value)]).count == 1)
        }
    }

    /// Words between signs that FTS5 knows are found, and the signs change nothing.
    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func fullTextTakesSignsAsTheyAre() throws {
        let store = try freshStore()
        try store.createFullTextIndex(Patient.self) { [$0.name.family] }
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "a"; $0.name = [HumanName { $0.family = "Smith OR Jones" }]
                })
            try tx.add(
                Patient {
                    $0.id = "b"; $0.name = [HumanName { $0.family = "Jones" }]
                })
        }
        let patients = store.query(Patient.self)
        #expect(try patients.where { $0.matching("Smith OR Nobody") }.ids() == [])
        for signs in [
            "Smith\"\u{301} OR Jones\"\u{301}", "\"\u{301} OR \"\u{301}Jones",
            "\"", "\"\"\"", "*", "**", "(", ")", "^a", "-a", "NEAR(a b)", "value:a", "{a b}:c", "a AND", "NOT", "\u{0}\"", "\"\u{0}", "+",
        ] {
            #expect(throws: Never.self) { try patients.where { $0.matching(signs) }.ids() }
        }
    }

    // MARK: - Ids

    static let ids = [
        "1", "A", "a", "é", "e\u{301}", "É", "a b", " a", "a ", "'", "../x", "a/b", "a\u{0}b", "a\u{0}", "-", ".",
        String(repeating: "i", count: 64),
        String(repeating: "i", count: 65), String(repeating: "i", count: 10_000), "1.0", "01", "1e0", "true", "null",
    ]

    /// Reading and storing keep an id as it is, however long and whatever is in it; `validate()` reports it.
    @Test func invalidIDsAreStoredUnchangedAndReported() throws {
        try withStore { store in
            for isLenient in [false, true] {
                let reader = FHIRJSONReader(release: .r4, isLenient: isLenient)
                for id in Self.ids {
                    let resource = try reader.resource(from: FHIRJSON.data(Patient { $0.id = id }))
                    #expect(bytes(resource.id) == bytes(id) && reader.issues.isEmpty)
                    let isValid = (1...64).contains(id.utf8.count) && id.range(of: "^[A-Za-z0-9.-]+$", options: .regularExpression) != nil
                    #expect(resource.validate().isEmpty == isValid, "\(id.utf8.count) bytes")
                }
            }
            // All at once, and again: each its own resource, told apart by bytes.
            let first = try store.write { tx in try tx.upsert(Self.ids.map { id in Patient { $0.id = id } }) }
            #expect(first.added == Self.ids.count)
            let again = try store.write { tx in
                try tx.upsert(
                    Self.ids.map { id in
                        Patient {
                            $0.id = id; $0.active = true
                        }
                    })
            }
            #expect(again.updated == Self.ids.count && again.added == 0)
            for id in Self.ids { #expect(try bytes(store.resource(Patient.self, id: id)?.id) == bytes(id)) }
            #expect(try store.resources(Patient.self, ids: Self.ids).map { bytes($0.id) } == Self.ids.map { bytes($0) })
        }
    }

    /// Ids that Swift takes for equal strings though their bytes differ, in a batch in which another id comes twice.
    @Test func idsThatOnlyLookEqualAreTwo() throws {
        try withStore { store in
            let ids = ["x", "é", "e\u{301}", "x"]
            let result = try store.write { tx in
                try tx.upsert(
                    ids.enumerated().map { number, id in
                        Patient {
                            $0.id = id; $0.multipleBirthInteger = number
                        }
                    })
            }
            #expect(result.added == 3)
            #expect(try store.count(Patient.self) == 3)
            #expect(try store.resource(Patient.self, id: "é")?.multipleBirthInteger == 1)
            #expect(try store.resource(Patient.self, id: "e\u{301}")?.multipleBirthInteger == 2)
            #expect(try store.resource(Patient.self, id: "x")?.multipleBirthInteger == 3)
        }
    }

    @Test func oneIdInSeveralTypesAndCases() throws {
        try withStore { store in
            try store.write { tx in
                try tx.upsert([Patient { $0.id = "a" }, Observation { $0.id = "a" }, Patient { $0.id = "A" }] as [FHIRResource])
            }
            #expect(try store.count(Patient.self) == 2 && store.count(Observation.self) == 1)
            #expect(try store.write { tx in try tx.delete(Patient.self, id: "a") })
            #expect(try store.resource(Patient.self, id: "A") != nil && store.resource(Observation.self, id: "a") != nil)
        }
    }

    // MARK: - Types

    @Test(arguments: [
        "patient", "PATIENT", "Patient ", "Patiеnt", "Patient\u{0}", "DomainResource", "Resource", "HumanName", "Element", "", "_resource",
    ])
    func unknownTypesAreRefused(_ name: String) throws {
        let json = try JSONSerialization.data(withJSONObject: ["resourceType": name])
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: json, release: .r4) }
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.lenientResource(from: json, release: .r4) }
        let store = try freshStore()
        #expect(throws: FHIRStoreError.self) { try store.resource(typeName: name, id: "1") }
    }
}

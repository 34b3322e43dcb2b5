import FireLiteCore
import FireLiteR4
import Foundation
import Testing

/// Strict reading: what is not exactly FHIR is an error that tells its kind, line, column and FHIR path.
@Suite struct DecodingErrorTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let json: String
        let expected: String
        var testDescription: String { expected }

        init(_ json: String, _ expected: String) {
            self.json = json
            self.expected = expected
        }
    }

    static let structure = [
        Case("", "malformedJSON 1:1 "),
        Case(" \n ", "malformedJSON 2:2 "),
        Case("null", "wrongType 1:1 "),
        Case("[]", "wrongType 1:1 "),
        Case("[{\"resourceType\":\"Patient\"}]", "wrongType 1:1 "),
        Case("\"Patient\"", "wrongType 1:1 "),
        Case("Patient", "malformedJSON 1:1 "),
        Case("{\"resourceType\":\"Patient\",}", "malformedJSON 1:27 Patient"),
        Case(patient("\n'id':1"), "malformedJSON 2:1 Patient"),
        Case(patient("\"id\" 1"), "malformedJSON 1:32 Patient.?"),
        Case("{\"resourceType\":\"Patient\",\"active\":true", "malformedJSON 1:40 Patient.active"),
        Case("{\"resourceType\":\"Patient\",\"active\":tru}", "malformedJSON 1:36 Patient.active"),
        Case("{\"resourceType\":\"Patient\",\"active\":", "malformedJSON 1:36 Patient.active"),
        Case(patient("\"name\":[{\"text\":\"a\"} {\"text\":\"b\"}]"), "malformedJSON 1:48 Patient.name[0]"),
        Case(patient("\"name\":[{\"text\":\"a\"},]"), "malformedJSON 1:48 Patient.name[1]"),
        Case(patient("\"active\":true").appending(" x"), "trailingBytes 1:42 Patient"),
        Case(patient("\"active\":true").appending("\n\n  {}"), "trailingBytes 3:3 Patient"),
        Case(patient("\"active\":true").appending("\u{0}"), "trailingBytes 1:41 Patient"),
    ]

    static let types = [
        Case("{}", "resourceType 1:1 "),
        Case("{\"id\":\"1\"}", "resourceType 1:1 "),
        Case("{\"id\":\"1\",\n\"resourceType\":5}", "resourceType 2:16 resourceType"),
        Case("{\"resourceType\":\"Pateint\"}", "resourceType 1:17 resourceType"),
        Case("{\"resourceType\":\"DomainResource\"}", "resourceType 1:17 resourceType"),
        Case("{\"resourceType\":\"HumanName\"}", "resourceType 1:17 resourceType"),
        Case("{\"resourceType\":\"Patient.contact\"}", "resourceType 1:17 resourceType"),
        Case(patient("\"contained\":[{\"id\":\"x\"}]"), "resourceType 1:40 Patient.contained[0]"),
        Case(patient("\"contained\":[{\"resourceType\":\"Nope\"}]"), "resourceType 1:56 Patient.contained[0].resourceType"),
        Case(patient("\n\"resourceType\":\"Patient\""), "duplicateMember 2:1 Patient.resourceType"),
    ]

    static let members = [
        Case(patient("\n  \"nmae\": [{}]"), "unknownMember 2:3 Patient.nmae"),
        Case(patient("\"valueString\":\"x\""), "unknownMember 1:27 Patient.valueString"),
        Case(patient("\"_name\":[{\"id\":\"a\"}]"), "unknownMember 1:27 Patient._name"),
        Case(patient("\"\":1"), "unknownMember 1:27 Patient.?"),
        Case(patient("\"_\":1"), "unknownMember 1:27 Patient._"),
        Case(
            patient("\"contact\":[{\"name\":{\"resourceType\":\"HumanName\"}}]"), "unknownMember 1:47 Patient.contact[0].name.resourceType"),
        Case(patient("\"fhir_comments\":[\"x\"]"), "unknownMember 1:27 Patient.fhir_comments"),
        Case(patient("\n\"active\":true,\n\"active\":false"), "duplicateMember 3:1 Patient.active"),
        Case(patient("\"name\":[{\"text\":\"a\",\"use\":\"old\",\n\"text\":\"b\"}]"), "duplicateMember 2:1 Patient.name[0].text"),
        Case(patient("\"active\":true,\"acti\\u0076e\":false"), "duplicateMember 1:41 Patient.?"),
        Case(patient("\"_birthDate\":{\"id\":\"b\"},\"_birthDate\":{\"id\":\"c\"}"), "duplicateMember 1:51 Patient._birthDate"),
        Case(patient("\"name\":[{\"given\":[null],\"given\":[\"a\"]}]"), "duplicateMember 1:51 Patient.name[0].given"),
        Case(patient("\"deceasedBoolean\":true,\n \"deceasedDateTime\":\"2020\""), "secondChoice 2:2 Patient.deceasedDateTime"),
        Case(patient("\"deceasedBoolean\":true,\"_deceasedDateTime\":{\"id\":\"x\"}"), "secondChoice 1:50 Patient._deceasedDateTime"),
        Case(patient("\"_deceasedDateTime\":{\"id\":\"x\"},\"deceasedBoolean\":true"), "secondChoice 1:58 Patient.deceasedBoolean"),
    ]

    static let values = [
        Case(patient("\"name\":{\"text\":\"a\"}"), "wrongType 1:34 Patient.name"),
        Case(patient("\"name\":[{\"given\":\"x\"}]"), "wrongType 1:44 Patient.name[0].given"),
        Case(patient("\"maritalStatus\":[{\"text\":\"x\"}]"), "wrongType 1:43 Patient.maritalStatus"),
        Case(patient("\"birthDate\":[\"2020\"]"), "wrongType 1:39 Patient.birthDate"),
        Case(patient("\"birthDate\":2020"), "wrongType 1:39 Patient.birthDate"),
        Case(patient("\"birthDate\":null"), "wrongType 1:39 Patient.birthDate"),
        Case(patient("\"name\":null"), "wrongType 1:34 Patient.name"),
        Case(patient("\"name\":[null]"), "wrongType 1:35 Patient.name[0]"),
        Case(patient("\"maritalStatus\":null"), "wrongType 1:43 Patient.maritalStatus"),
        Case(patient("\"active\":\"true\""), "wrongType 1:36 Patient.active"),
        Case(patient("\"active\":1"), "wrongType 1:36 Patient.active"),
        Case(patient("\"active\":{}"), "wrongType 1:36 Patient.active"),
        Case(patient("\"id\":1"), "wrongType 1:32 Patient.id"),
        Case(patient("\"multipleBirthInteger\":\"1\""), "wrongType 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"multipleBirthInteger\":2147483648"), "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"multipleBirthInteger\":-2147483649"), "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"multipleBirthInteger\":1.0"), "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"multipleBirthInteger\":1e0"), "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"multipleBirthInteger\":-0"), "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(patient("\"photo\":[{\"size\":-1}]"), "invalidValue 1:44 Patient.photo[0].size"),
        Case(patient("\"telecom\":[{\"rank\":0}]"), "invalidValue 1:46 Patient.telecom[0].rank"),
        Case(patient("\"birthDate\":\"2020-13\""), "invalidValue 1:39 Patient.birthDate"),
        Case(patient("\"birthDate\":\"2020-01-01T00:00:00Z\""), "invalidValue 1:39 Patient.birthDate"),
        Case(patient("\"_birthDate\":\"x\""), "wrongType 1:40 Patient._birthDate"),
        Case(patient("\"_birthDate\":[{\"id\":\"x\"}]"), "wrongType 1:40 Patient._birthDate"),
        Case(patient("\"name\":[{\"_given\":{\"id\":\"x\"}}]"), "wrongType 1:45 Patient.name[0]._given"),
        Case(patient("\"name\":[{\"given\":[\"a\",\n{}]}]"), "wrongType 2:1 Patient.name[0].given[1]"),
    ]

    static let empties = [
        Case(patient("\"name\":[]"), "empty 1:34 Patient.name"),
        Case(patient("\"name\":[{}]"), "empty 1:35 Patient.name[0]"),
        Case(patient("\"name\":[{\"text\":\"a\"},{}]"), "empty 1:48 Patient.name[1]"),
        Case(patient("\"name\":[{\"given\":[]}]"), "empty 1:44 Patient.name[0].given"),
        Case(patient("\"name\":[{\"given\":[ ]}]"), "empty 1:44 Patient.name[0].given"),
        Case(patient("\"maritalStatus\":{}"), "empty 1:43 Patient.maritalStatus"),
        Case(patient("\"_birthDate\":{}"), "empty 1:40 Patient._birthDate"),
        Case(patient("\"name\":[{\"_given\":[null,null]}]"), "empty 1:45 Patient.name[0]._given"),
        Case(patient("\"name\":[{\"_given\":[{}]}]"), "empty 1:46 Patient.name[0]._given[0]"),
        Case(patient("\"name\":[{\"_given\":[]}]"), "empty 1:45 Patient.name[0]._given"),
    ]

    static let texts = [
        Case(patient("\"name\":[{\"text\":\"\\ud800\"}]"), "invalidText 1:44 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"a\\udc00\\ud800\"}]"), "invalidText 1:45 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"\\ud800\\ud800\"}]"), "invalidText 1:44 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"\\ud800x\"}]"), "invalidText 1:44 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"a\\qb\"}]"), "malformedJSON 1:45 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"\\u12g4\"}]"), "malformedJSON 1:44 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"a\tb\"}]"), "malformedJSON 1:45 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"a\nb\"}]"), "malformedJSON 1:45 Patient.name[0].text"),
        Case(patient("\"name\":[{\"text\":\"a\u{0}b\"}]"), "malformedJSON 1:45 Patient.name[0].text"),
        Case("{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"abc", "malformedJSON 1:47 Patient.name[0].text"),
        Case("{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"abc\\", "malformedJSON 1:47 Patient.name[0].text"),
        Case("{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"abc\\u12", "malformedJSON 1:47 Patient.name[0].text"),
    ]

    @Test(arguments: structure + types + members + values + empties + texts)
    func errorsHaveKindLineColumnAndPath(_ example: Case) throws {
        let error = try #require(decodingError(example.json))
        #expect(error.summary == example.expected)
        // The reader for many texts tells the same, and goes on as if nothing had been.
        let reader = FHIRJSONReader(release: .r4)
        #expect(throws: error) { try reader.resource(from: Data(example.json.utf8)) }
        #expect(try reader.resource(from: Data(patient("\"id\":\"ok\"").utf8)) == Patient { $0.id = "ok" })
    }

    @Test(arguments: [
        ("birthDat", ", 'birthDat': did you mean 'birthDate'?"), ("_birthDat", ", '_birthDat': did you mean '_birthDate'?"),
        ("_nmae", ", '_nmae'"), ("nothing", ", 'nothing'"), ("not a name", ", not a FHIR name"),
    ])
    func elementsThatAreNearAreSuggested(_ name: String, _ end: String) throws {
        let error = try #require(decodingError(patient("\"\(name)\":1")))
        #expect(error.message == "expected an element of Patient, found a member\(end)")
        let known = end.components(separatedBy: ": did").dropFirst().map { ": did" + $0 }.joined()
        let problem = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Patient.self, from: Data(patient("\"\(name)\":1").utf8))
        }
        guard case .dataCorrupted(let context)? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(context.debugDescription.hasSuffix("found another member\(known)"), "\(context.debugDescription)")
    }

    // MARK: - Bytes

    @Test(
        arguments: [
            [0xFF], [0xC3, 0x28], [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefusedWithTheirPlace(_ bytes: [UInt8]) throws {
        let (before, after) = (Array(#"{"resourceType":"Patient","name":[{"text":"é"#.utf8), Array(#""}]}"#.utf8))
        let error = try #require(decodingError(Data(before + bytes + after)))
        #expect(error.summary == "invalidText 1:46 Patient.name[0].text")
        #expect(error.offset == before.count)
        let inName = try #require(decodingError(Data(Array(#"{"resourceType":"Patient","na"#.utf8) + bytes + Array(#"me":1}"#.utf8))))
        #expect(inName.summary == "invalidText 1:30 Patient")
    }

    @Test func byteOrderMarkIsAllowedOnce() throws {
        let json = Data(patient("\"active\":true").utf8)
        let mark = Data([0xEF, 0xBB, 0xBF])
        let resource = try FHIRJSON.resource(from: mark + json, release: .r4)
        #expect(resource == Patient { $0.active = true })
        #expect(decodingError(mark + mark + json)?.summary == "malformedJSON 1:4 Patient")
        #expect(decodingError(mark)?.summary == "malformedJSON 1:4 ")
        #expect(decodingError(mark + Data(patient("\"active\":1").utf8))?.summary == "wrongType 1:39 Patient.active")
    }

    // MARK: - Depth

    @Test func nestingIsLimitedTo128Levels() throws {
        let deep = "{\"resourceType\":\"Patient\"," + String(repeating: "\"extension\":[{", count: 64)
        let prefix = 26 + 63 * 14
        // A resource and 63 times array and object: 127 levels. One array more is allowed, one object more is not.
        let allowed = deep.dropLast(14) + "\"id\":\"x\"" + String(repeating: "}]", count: 63) + "}"
        #expect(decodingError(String(allowed)) == nil)
        let array = deep.dropLast(1)
        #expect(decodingError(String(array))?.summary.hasPrefix("malformedJSON 1:\(prefix + 14) ") == true)
        let error = try #require(decodingError(deep + "\"url\":1"))
        #expect(error.summary == "tooDeep 1:\(prefix + 14) Patient" + String(repeating: ".extension[0]", count: 64))
        #expect(error.expected == "at most 128 levels of nesting")
    }

    @Test func anyDepthIsAnErrorAndNoCrash() {
        let levels = 200_000
        for opening in ["[", "{\"extension\":[", "{\"a\":"] {
            #expect(decodingError(String(repeating: opening, count: levels)) != nil)
            #expect(decodingError("{\"resourceType\":\"Patient\",\"extension\":" + String(repeating: opening, count: levels)) != nil)
            let lenient = Data((#"{"resourceType":"Patient","x":"# + String(repeating: opening, count: levels)).utf8)
            #expect(throws: FHIRDecodingError.self) { try FHIRJSON.lenientResource(from: lenient, release: .r4) }
        }
    }

    // MARK: - Classes

    @Test func aResourceOfTheTypeThatIsNamed() throws {
        for type in FHIRRelease.r4.resourceTypes {
            let json = "{\"id\":\"1\",\"resourceType\":\"\(type._layout.name)\"}"
            let resource = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
            #expect(Swift.type(of: resource) == type)
            #expect(resource.resourceType == type._layout.name)
            #expect(resource.id == "1")
        }
    }

    @Test func aClassReadsItsOwnTypeOnly() throws {
        let json = "{\"id\":\"1\",\n  \"resourceType\":\"Observation\"}"
        let error = try #require(throws: FHIRDecodingError.self) { try Patient(json: json) }
        #expect(error.summary == "resourceType 2:18 Patient.resourceType")
        #expect(error.expected == "resourceType Patient")
        #expect(throws: FHIRDecodingError.self) { try Patient(json: "{\"id\":\"1\"}") }
        #expect(throws: FHIRDecodingError.self) {
            try FHIRJSON.decode(DomainResource.self, from: Data("{\"resourceType\":\"Bundle\"}".utf8))
        }
        let resource = try FHIRJSON.decode(Resource.self, from: Data(json.utf8))
        #expect(resource is Observation)
        let name = try HumanName(json: "{\"family\":\"Chalmers\"}")
        #expect(name.family == "Chalmers")
        let datatype = try #require(throws: FHIRDecodingError.self) { try HumanName(json: "{\"given\":[1]}") }
        #expect(datatype.summary == "wrongType 1:11 HumanName.given[0]")
    }

    // MARK: - Words

    @Test func descriptionsHoldNoValues() throws {
        let secret = "s3cr3t value"
        let cases = [
            patient("\"active\":\"\(secret)\""), patient("\"birthDate\":\"\(secret)\""), patient("\"\(secret)\":1"),
            patient("\"name\":[{\"text\":\"\(secret)\\q\"}]"), "{\"resourceType\":\"\(secret)\"}",
            patient("\"contained\":[{\"resourceType\":\"\(secret)\"}]"),
            patient("\"multipleBirthInteger\":77777777777"), "\(secret)",
        ]
        for json in cases {
            let error = try #require(decodingError(json))
            #expect(!"\(error)".contains("s3cr3t"))
            #expect(!"\(error)".contains("77777"))
            #expect(error.excerpt(of: Data(json.utf8)).contains(json.contains("777") ? "77777" : "s3cr3t"))
        }
    }

    @Test func descriptionSaysWhereWhatAndWhatElse() throws {
        let error = try #require(decodingError(patient("\n\"active\":\"yes\"")))
        #expect("\(error)" == "line 2, column 10, Patient.active: expected true or false, found a string")
        #expect(error.shifted(lines: 40).line == 42)
    }
}

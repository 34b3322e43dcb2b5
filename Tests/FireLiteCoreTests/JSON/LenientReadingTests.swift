import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Lenient reading takes what it can and tells what it left out or mended.
@Suite struct LenientReadingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let json: String
        let result: String
        let issues: [String]
        var testDescription: String { json }

        init(_ json: String, _ result: String, _ issues: String...) {
            self.json = json
            self.result = result
            self.issues = issues
        }
    }

    static let cases = [
        Case("\"active\":true", "\"active\":true"),
        Case("\"x\":{\"a\":[1,\"\",null,{}]},\"active\":true", "\"active\":true", "unknownMember 1:27 Patient.x"),
        Case("\"active\":\"true\"", "\"active\":true", "wrongType 1:36 Patient.active"),
        Case("\"active\":1,\"id\":\"a\"", "\"id\":\"a\"", "wrongType 1:36 Patient.active"),
        Case("\"id\":5", "\"id\":\"5\"", "wrongType 1:32 Patient.id"),
        Case("\"multipleBirthInteger\":\"5\"", "\"multipleBirthInteger\":5", "wrongType 1:50 Patient.multipleBirthInteger"),
        Case("\"birthDate\":2020", "\"birthDate\":\"2020\"", "wrongType 1:39 Patient.birthDate"),
        Case("\"birthDate\":[\"2020\"]", "\"birthDate\":\"2020\"", "wrongType 1:39 Patient.birthDate"),
        Case("\"birthDate\":\"last year\"", "\"birthDate\":\"last year\"", "invalidValue 1:39 Patient.birthDate"),
        Case("\"birthDate\":null,\"id\":\"a\"", "\"id\":\"a\"", "wrongType 1:39 Patient.birthDate"),
        Case(
            "\"multipleBirthInteger\":2147483648", "\"multipleBirthInteger\":2147483648", "invalidValue 1:50 Patient.multipleBirthInteger"),
        Case(
            "\"name\":{\"given\":\"x\"}", "\"name\":[{\"given\":[\"x\"]}]", "wrongType 1:34 Patient.name",
            "wrongType 1:43 Patient.name.given"),
        Case(
            "\"name\":[{},{\"text\":\"a\"},null,7]", "\"name\":[{\"text\":\"a\"}]", "empty 1:35 Patient.name[0]",
            "wrongType 1:51 Patient.name[2]", "wrongType 1:56 Patient.name[3]"),
        Case(
            "\"maritalStatus\":[{\"text\":\"x\"},{\"text\":\"y\"}]", "\"maritalStatus\":{\"text\":\"x\"}",
            "wrongType 1:43 Patient.maritalStatus"),
        Case("\"maritalStatus\":{},\"id\":\"a\"", "\"id\":\"a\"", "empty 1:43 Patient.maritalStatus"),
        Case("\"name\":[],\"id\":\"a\"", "\"id\":\"a\"", "empty 1:34 Patient.name"),
        Case("\"active\":true,\"active\":false", "\"active\":false", "duplicateMember 1:41 Patient.active"),
        Case(
            "\"deceasedBoolean\":true,\"deceasedDateTime\":\"2020\"", "\"deceasedBoolean\":true",
            "secondChoice 1:50 Patient.deceasedDateTime"),
        Case("\"_birthDate\":{},\"birthDate\":\"2020\"", "\"birthDate\":\"2020\"", "empty 1:40 Patient._birthDate"),
        Case("\"_birthDate\":\"x\",\"birthDate\":\"2020\"", "\"birthDate\":\"2020\"", "wrongType 1:40 Patient._birthDate"),
        Case(
            "\"contained\":[{\"id\":\"x\"},{\"resourceType\":\"Basic\"}]", "\"contained\":[{\"resourceType\":\"Basic\"}]",
            "resourceType 1:40 Patient.contained[0]"),
        Case(
            "\"contained\":[{\"resourceType\":\"Nope\",\"x\":[{}]},{\"resourceType\":\"Basic\"}]",
            "\"contained\":[{\"resourceType\":\"Basic\"}]", "resourceType 1:56 Patient.contained[0].resourceType"),
        Case("\"name\":[{\"text\":\"a\\ud800b\"}]", "\"name\":[{\"text\":\"a\u{FFFD}b\"}]", "invalidText 1:45 Patient.name[0].text"),
        Case("\"active\":true} {", "\"active\":true", "trailingBytes 1:42 Patient"),
    ]

    @Test(arguments: cases)
    func resultAndIssues(_ example: Case) throws {
        let (resource, issues) = try FHIRJSON.lenientResource(from: Data(patient(example.json).utf8), release: .r4)
        #expect(try JSONTree(FHIRJSON.data(resource)).difference(to: JSONTree(patient(example.result))) == nil)
        #expect(issues.map(\.summary) == example.issues)
        // What is mended is exactly what strict reading refuses.
        #expect(decodingError(patient(example.json))?.summary == example.issues.first)
    }

    @Test func issuesAreNotedOnceHoweverLateTheTypeComes() throws {
        let json = Data("{\"id\":\"a".utf8) + [0xFF] + Data("\",\"text\":{\"div\":\"\\udc00\"},\"resourceType\":\"Patient\"}".utf8)
        let (resource, issues) = try FHIRJSON.lenientResource(from: json, release: .r4)
        #expect(resource.id == "a\u{FFFD}")
        #expect(issues.map(\.summary) == ["invalidText 1:9 Patient.id", "invalidText 1:27 Patient.text.div"])
    }

    @Test func whatIsNoJSONIsAnErrorAllTheSame() {
        for json in [
            "", "{", "[]", "{\"resourceType\":\"Patient\",\"active\":tru}", "{\"id\":\"1\"}", "{\"resourceType\":\"Nope\"}",
            patient("\"x\":[1,]"),
        ] {
            #expect(throws: FHIRDecodingError.self) { try FHIRJSON.lenientResource(from: Data(json.utf8), release: .r4) }
        }
    }

    @Test func issuesOfTheLastTextOnly() throws {
        let reader = FHIRJSONReader(release: .r4, isLenient: true)
        _ = try reader.resource(from: Data(patient("\"x\":1,\"y\":2").utf8))
        #expect(reader.issues.map(\.path) == ["Patient.x", "Patient.y"])
        _ = try reader.resource(from: Data(patient("\"active\":true").utf8))
        #expect(reader.issues.isEmpty)
    }

    @Test func objectsOfAKnownClass() throws {
        let (name, issues) = try FHIRJSON.lenientDecode(HumanName.self, from: Data("{\"given\":\"Peter\",\"first\":\"P\"}".utf8))
        #expect(name == HumanName { $0.given = ["Peter"] })
        #expect(issues.map(\.summary) == ["wrongType 1:10 HumanName.given", "unknownMember 1:18 HumanName.first"])
    }
}

import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// What cannot be checked is said to be undecided, and a store that requires validation refuses it unless it is told to accept it.
@Suite struct UndecidedTests {
    /// A resource, the definitions that it is checked by, and what stays undecided about it.
    struct Case: CustomTestStringConvertible {
        let name: String
        var definitions: [String] = []
        let resource: String
        let kind: ValidationIssue.Undecided?

        var testDescription: String { name }
    }

    private static let profile = "http://a.org/p"

    private static func definition(_ elements: String, type: String = "Patient", url: String = profile, more: String = "") -> String {
        """
        {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"resource","abstract":false,"type":"\(type)",\(more)
        "baseDefinition":"http://hl7.org/fhir/StructureDefinition/\(type)","derivation":"constraint","differential":{"element":[\(elements)]}}
        """
    }

    private static func patient(_ members: String = #""active":true"#, profile: String = profile) -> String {
        #"{"resourceType":"Patient","id":"a","meta":{"profile":["\#(profile)"]},\#(members)}"#
    }

    private static func weight(_ unit: String) -> String {
        #"{"resourceType":"Observation","id":"a","meta":{"profile":["\#(profile)"]},"status":"final","code":{"text":"x"},"#
            + #""valueQuantity":{"value":3,"system":"http://unitsofmeasure.org","code":"\#(unit)"}}"#
    }

    private static func constraint(_ severity: String) -> String {
        definition(
            #"{"id":"Patient","path":"Patient","constraint":[{"key":"a","severity":"\#(severity)","human":"a","expression":"nonsense(1)"}]}"#
        )
    }

    private static let maximum = definition(
        #"{"id":"Observation.value[x]","path":"Observation.value[x]","type":[{"code":"Quantity"}],"#
            + #""maxValueQuantity":{"value":5,"system":"http://unitsofmeasure.org","code":"kg"}}"#, type: "Observation")

    private static let extensionDefinition = definition(
        #"{"id":"Extension.url","path":"Extension.url","fixedUri":"http://a.org/e"}"#, type: "Extension", url: "http://a.org/e",
        more: #""context":[{"type":"fhirpath","expression":"nonsense(1)"}],"#)

    private static let extended = #"{"resourceType":"Patient","id":"a","extension":[{"url":"http://a.org/e","valueString":"b"}]}"#

    static let cases = [
        Case(name: "an unknown profile", resource: patient(), kind: .profile),
        Case(name: "a constraint that is no expression", definitions: [constraint("error")], resource: patient(), kind: .rule),
        Case(name: "a recommendation that is no expression", definitions: [constraint("warning")], resource: patient(), kind: nil),
        Case(name: "a limit in another unit", definitions: [maximum], resource: weight("cm"), kind: .rule),
        Case(name: "a limit in a unit that converts", definitions: [maximum], resource: weight("g"), kind: nil),
        Case(name: "a place that no expression tells", definitions: [extensionDefinition], resource: extended, kind: .rule),
        Case(
            name: "a code of an unknown value set",
            definitions: [
                definition(
                    #"{"id":"Patient.maritalStatus","path":"Patient.maritalStatus","#
                        + #""binding":{"strength":"required","valueSet":"http://a.org/unknown"}}"#)
            ], resource: patient(#""maritalStatus":{"coding":[{"system":"http://a.org/c","code":"m"}]}"#), kind: .code),
        Case(
            name: "answers to an unknown Questionnaire",
            resource: #"{"resourceType":"QuestionnaireResponse","id":"a","questionnaire":"http://a.org/q","status":"completed"}"#,
            kind: .outside),
    ]

    private static func knowledge(_ definitions: [String]) throws -> Knowledge {
        let knowledge = Knowledge(release: .r4)
        for definition in definitions { try knowledge.add(Data(definition.utf8), source: "test") }
        return knowledge
    }

    @Test(arguments: cases) func whatIsUndecidedIsRefusedAsTheStoreSays(_ item: Case) throws {
        let knowledge = try Self.knowledge(item.definitions)
        func resource() throws -> FHIRResource { try FHIRJSON.resource(from: Data(item.resource.utf8), release: .r4) }
        let found = try FHIRValidator(knowledge: knowledge).validate(resource())
        #expect(Set(found.compactMap(\.undecided)) == (item.kind.map { [$0] } ?? []), "\(found)")
        #expect(!found.contains { $0.severity == .error }, "\(found)")
        for policy in StoreValidation.Undecided.allCases {
            let isRefused =
                switch item.kind {
                case .profile, .rule: policy != .accepted
                case .code: policy == .refused
                case .outside, nil: false
                }
            let store = try FHIRStore(path: ":memory:", release: .r4, validation: .profiles(knowledge, undecided: policy))
            if isRefused {
                let failure = #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(resource()) } }
                #expect(failure?.code == .undecided && failure?.message.contains("could not be checked") == true, "\(policy)")
            } else {
                try store.write { try $0.upsert(resource()) }
            }
            let stored = try store.read { try $0.counts().reduce(0) { $0 + $1.count } }
            #expect(stored == (isRefused ? 0 : 1), "\(policy)")
        }
    }

    @Test func anErrorCountsMoreThanADoubt() throws {
        let definition = Self.definition(
            #"{"id":"Patient","path":"Patient","constraint":[{"key":"a","severity":"error","human":"a","expression":"nonsense(1)"}]},"#
                + #"{"id":"Patient.name","path":"Patient.name","min":1}"#)
        let store = try FHIRStore(path: ":memory:", release: .r4, validation: .profiles(Self.knowledge([definition])))
        let resource = try FHIRJSON.resource(from: Data(Self.patient().utf8), release: .r4)
        let failure = #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(resource) } }
        #expect(failure?.code == .invalid && failure?.message.contains("name needs at least 1 value") == true)
    }

    /// Nothing is written, not even a file, if no resource could be checked by a profile that all must conform to.
    @Test(arguments: StoreValidation.Undecided.allCases) func aRequiredProfileMustBeKnown(_ policy: StoreValidation.Undecided) throws {
        let folder = try TemporaryFolder()
        let profiles = ["Patient": ["http://a.org/absent"]]
        for validation in [
            StoreValidation.storedPackages(against: profiles, undecided: policy),
            .profiles(Knowledge(release: .r4), against: profiles, undecided: policy),
        ] {
            let path = folder.file("a.sqlite")
            let error = #expect(throws: KnowledgeError.self) { try FHIRStore(path: path, release: .r4, validation: validation) }
            #expect(error?.code == .missing && error?.message.contains("firelite package --database FILE add") == true)
            #expect(!FileManager.default.fileExists(atPath: path))
            let store = try FHIRStore.inMemory(release: .r4)
            #expect(throws: KnowledgeError.self) { try store.requireValidation(validation) }
            #expect(store.validation == nil)
        }
    }

    /// An error among issues that are no longer listed still makes a resource invalid.
    @Test func errorsBeyondTheLimitCount() throws {
        var options = ValidationOptions()
        let text = #"{"resourceType":"Patient","meta":{"profile":["http://a.org/absent"]},"contact":[{"gender":"female"}]}"#
        let resource = try FHIRJSON.resource(from: Data(text.utf8), release: .r4)
        for limit in 0...3 {
            options.maximumIssues = limit
            let found = try FHIRValidator(knowledge: Knowledge(release: .r4), options: options).validate(resource)
            #expect(found.contains { $0.severity == .error } && found.contains { $0.undecided == .profile }, "\(limit)")
        }
    }
}

import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Definitions are hostile input: each attack is an issue, in bounded time.
@Suite struct HostileDefinitionTests {
    private static let url = "http://a.org/p"

    private func issues(
        _ elements: String, type: String = "Patient", others: [String] = [], record: String = #"{"resourceType":"Patient","active":true}"#
    ) throws -> [ValidationIssue] {
        let knowledge = Knowledge(release: .r4)
        let kind = type == "Patient" ? "resource" : "complex-type"
        for definition in [Self.definition(Self.url, elements, type: type, kind: kind)] + others {
            try knowledge.add(Data(definition.utf8), source: "test")
        }
        let resource = try FHIRJSON.resource(from: Data(record.utf8), release: .r4)
        return try FHIRValidator(knowledge: knowledge).validate(resource, against: [Self.url])
    }

    private static func definition(_ url: String, _ elements: String, type: String, kind: String = "complex-type") -> String {
        """
        {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"\(kind)","abstract":false,"type":"\(type)",
        "baseDefinition":"http://hl7.org/fhir/StructureDefinition/\(type)","derivation":"constraint","differential":{"element":[\(elements)]}}
        """
    }

    @Test func tooManySlicesAreABrokenDefinition() throws {
        let slices = (0..<50_001).map { #"{"id":"Patient.name:s\#($0)","path":"Patient.name","sliceName":"s\#($0)"}"# }
        let start = threadSeconds()
        #expect(try issues(slices.joined(separator: ",")).map(\.messageID) == [.brokenDefinition])
        #expect(threadSeconds() - start < 90)
    }

    @Test func aSnapshotWithTooManySlicesIsABrokenDefinition() throws {
        let knowledge = Knowledge(release: .r4)
        let slices = (0..<4_000).map { #"{"id":"Patient.name:s\#($0)","path":"Patient.name","sliceName":"s\#($0)"}"# }
        let elements = [#"{"id":"Patient","path":"Patient"}"#, #"{"id":"Patient.name","path":"Patient.name"}"#] + slices
        let text = """
            {"resourceType":"StructureDefinition","url":"\(Self.url)","name":"P","status":"active","kind":"resource","type":"Patient",
            "derivation":"constraint","snapshot":{"element":[\(elements.joined(separator: ","))]}}
            """
        try knowledge.add(Data(text.utf8), source: "test")
        let resource = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient"}"#.utf8), release: .r4)
        #expect(try FHIRValidator(knowledge: knowledge).validate(resource, against: [Self.url]).map(\.messageID) == [.brokenDefinition])
    }

    /// A rule that cannot be understood is not taken for none.
    @Test(arguments: [
        #""max":"abc""#, #""max":"-1""#, #""max":"1.5""#, #""max":"99999999999999999999""#, #""max":1"#, #""min":-1"#, #""min":"1""#,
        #""min":1.5"#,
        #""min":99999999999999999999"#, #""maxLength":"5""#,
    ])
    func aNumberThatIsNoneIsABrokenDefinition(rule: String) throws {
        let element = #"{"id":"Patient.name","path":"Patient.name",\#(rule)}"#
        #expect(try issues(element).map(\.messageID) == [.brokenDefinition])
        // Also in a snapshot.
        let knowledge = Knowledge(release: .r4)
        let text = """
            {"resourceType":"StructureDefinition","url":"\(Self.url)","name":"P","status":"active","kind":"resource","type":"Patient",
            "derivation":"constraint","snapshot":{"element":[{"id":"Patient","path":"Patient"},\(element)]}}
            """
        try knowledge.add(Data(text.utf8), source: "test")
        let resource = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient"}"#.utf8), release: .r4)
        #expect(try FHIRValidator(knowledge: knowledge).validate(resource, against: [Self.url]).map(\.messageID) == [.brokenDefinition])
    }

    @Test func aProfileOnTheTypeOfItsOwnElementEnds() throws {
        let element = """
            {"id":"Extension.extension:a","path":"Extension.extension","sliceName":"a","type":[{"code":"Extension","profile":["URL"]}]}
            """
        let own = "http://a.org/e"
        let extended = Self.definition(own, element.replacingOccurrences(of: "URL", with: own), type: "Extension")
        let record = """
            {"resourceType":"Patient","extension":[{"url":"http://a.org/e","extension":[{"url":"http://a.org/e","valueString":"a"}]}]}
            """
        let found = try issues(#"{"id":"Patient","path":"Patient"}"#, others: [extended], record: record)
        #expect(!found.contains { $0.messageID == .limit })
    }

    @Test func elementsBelowTheirOwnProfileEnd() throws {
        // To walk into the element a profile on it must be unfolded, which is the profile itself.
        let elements = """
            {"id":"HumanName.period","path":"HumanName.period","type":[{"code":"Period","profile":["\(Self.url)"]}]},
            {"id":"HumanName.period.start","path":"HumanName.period.start","min":1}
            """
        let found = try issues(elements, type: "HumanName", record: #"{"resourceType":"Patient","name":[{"text":"a"}]}"#)
        #expect(found.contains { $0.messageID == .brokenDefinition })
    }

    @Test func tooManyLevelsAreABrokenDefinition() throws {
        let path = "Questionnaire" + String(repeating: ".item", count: 70)
        let elements = #"{"id":"\#(path)","path":"\#(path)","min":1}"#
        let found = try issues(
            elements, type: "Questionnaire", record: #"{"resourceType":"Questionnaire","status":"active"}"#)
        #expect(found.contains { $0.messageID == .brokenDefinition })
    }

    @Test func aRegularExpressionThatBlowsUpCostsItsTimeOnce() throws {
        let constraint = #"{"key":"a","severity":"error","human":"a","expression":"$this.matches('^(a+)+$')"}"#
        let text = String(repeating: "a", count: 40) + "!"
        let names = (0..<20).map { _ in #"{"family":"\#(text)"}"# }.joined(separator: ",")
        let start = threadSeconds()
        let found = try issues(
            #"{"id":"Patient.name.family","path":"Patient.name.family","constraint":[\#(constraint)]}"#,
            record: #"{"resourceType":"Patient","name":[\#(names)]}"#)
        // The matcher may also find a way through; either way it is quick.
        #expect(found.allSatisfy { $0.messageID == .undecidedConstraint || $0.messageID == .constraint })
        #expect(threadSeconds() - start < 90)
    }

    @Test func valueSetsThatIncludeEachOtherEnd() throws {
        let sets = [("a", "b"), ("b", "a")].map { own, other in
            #"{"resourceType":"ValueSet","url":"http://a.org/\#(own)","status":"active","compose":{"include":[{"valueSet":["http://a.org/\#(other)"]}]}}"#
        }
        let found = try issues(
            #"{"id":"Patient.maritalStatus","path":"Patient.maritalStatus","binding":{"strength":"required","valueSet":"http://a.org/a"}}"#,
            others: sets, record: #"{"resourceType":"Patient","maritalStatus":{"coding":[{"system":"http://a.org","code":"x"}]}}"#)
        #expect(!found.isEmpty && !found.contains { $0.messageID == .limit })
    }
}

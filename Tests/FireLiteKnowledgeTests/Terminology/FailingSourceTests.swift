import FireLite
import FireLiteFHIRPath
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// What a source cannot say is an error that reaches the caller, never a verdict, and is asked again the next time.
@Suite struct FailingSourceTests {
    private struct Offline: Error {}

    /// A source that has a value set, as long as it answers.
    private final class Source: TerminologySource {
        private let hasRecovered = Flag()
        /// Whether it gives something else than JSON instead of an error.
        private let givesNonsense: Bool

        init(givesNonsense: Bool = false) { self.givesNonsense = givesNonsense }

        func recover() { hasRecovered.set() }

        func definitions(ofType type: String, url: String) throws -> [Data] {
            if !hasRecovered.isSet, givesNonsense { return [Data("<html>".utf8)] }
            if !hasRecovered.isSet { throw Offline() }
            guard type == "ValueSet", url == FailingSourceTests.set else { return [] }
            let compose = #"{"include":[{"system":"\#(TerminologyExamples.colors)","concept":[{"code":"red"}]}]}"#
            return [Data(TerminologyExamples.valueSet("set", compose).utf8)]
        }
    }

    private static let set = "http://example.org/set"
    private static let red = TerminologyCode("red", system: TerminologyExamples.colors)

    private func terminology(_ source: Source) throws -> Terminology {
        var terminology = try TerminologyExamples.terminology()
        terminology.add(source)
        return terminology
    }

    @Test(arguments: [false, true]) func everyQuestionEndsWithTheError(_ givesNonsense: Bool) throws {
        let source = Source(givesNonsense: givesNonsense)
        let terminology = try terminology(source)
        #expect(throws: (any Error).self) { try terminology.membership(of: [Self.red], in: Self.set) }
        #expect(throws: (any Error).self) { try terminology.validate(Self.red, in: Self.set) }
        #expect(throws: (any Error).self) { try terminology.expand(Self.set) }
        #expect(throws: (any Error).self) { try terminology.codes(inValueSet: Self.set) }
        source.recover()
        #expect(try terminology.membership(of: [Self.red], in: Self.set) == .member)
        #expect(try terminology.expand(Self.set).codes.map(\.code) == ["red"])
    }

    @Test func fhirPathEndsWithTheError() throws {
        let source = Source()
        var context = FHIRPathContext()
        context.terminology = try terminology(source)
        let patient = Patient()
        patient.gender = .female
        let path = try FHIRPath("gender.memberOf('\(Self.set)')")
        #expect(throws: (any Error).self) { try path.evaluate(on: patient, context: context) }
        source.recover()
        #expect(try path.evaluate(on: patient, context: context).first?.bool == false)
    }

    @Test func aValidationEndsWithTheError() throws {
        let profile = """
            {"resourceType":"StructureDefinition","url":"http://example.org/p","name":"P","status":"active","kind":"resource","abstract":false,
             "type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","differential":{"element":[
             {"id":"Patient","path":"Patient"},
             {"id":"Patient.maritalStatus","path":"Patient.maritalStatus","binding":{"strength":"required","valueSet":"\(Self.set)"}}]}}
            """
        let knowledge = Knowledge(release: .r4)
        try knowledge.add(Data(profile.utf8), source: "profile")
        let source = Source()
        let validator = FHIRValidator(knowledge: knowledge, codes: try terminology(source))
        let text = """
            {"resourceType":"Patient","meta":{"profile":["http://example.org/p"]},
             "maritalStatus":{"coding":[{"system":"\(TerminologyExamples.colors)","code":"blue"}]}}
            """
        let patient = try FHIRJSON.decode(Patient.self, from: Data(text.utf8))
        #expect(throws: Offline.self) { try validator.validate(patient) }
        source.recover()
        #expect(try validator.validate(patient).contains { $0.severity == .error && $0.messageID == .code })
    }
}

/// Something that happens once, of which several threads know. `@unchecked Sendable`: `lock` guards `value`.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

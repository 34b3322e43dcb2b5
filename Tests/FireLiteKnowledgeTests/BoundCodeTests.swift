import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

/// Codes that no list of a release has: those of standards, of maximum value sets, and of FHIR's own extensions.
@Suite struct BoundCodeTests {
    private func paths(_ text: String) throws -> [String] {
        let resource = try FHIRJSON.lenientResource(from: Data(text.utf8), release: .r4).resource
        return try FHIRValidator(knowledge: Knowledge(release: .r4)).validate(resource)
            .filter { $0.severity == .error && $0.messageID == .code }.map(\.path)
    }

    @Test(arguments: [("EUR", true), ("USD", true), ("SAR", true), ("ZZZ", false), ("eur", false), ("EURO", false)])
    func currenciesAreThoseOfISO4217(_ code: String, _ isCurrency: Bool) throws {
        let found = try paths(#"{"resourceType":"Invoice","status":"issued","totalNet":{"value":1,"currency":"\#(code)"}}"#)
        #expect(found == (isCurrency ? [] : ["Invoice.totalNet.currency"]))
    }

    @Test(arguments: [
        ("en", true), ("en-us", true), ("de-CH", true), ("zh-Hant-TW", true), ("sl-rozaj", true), ("en-x-clinic", true), ("cmn", true),
        ("i-klingon", true), ("english!!", false), ("english", false), ("de_DE", false), ("en-", false), ("zz", false),
    ])
    func languagesAreThoseOfBCP47(_ code: String, _ isLanguage: Bool) throws {
        #expect(try paths(#"{"resourceType":"Patient","language":"\#(code)"}"#) == (isLanguage ? [] : ["Patient.language"]))
        let coding = #"{"coding":[{"system":"urn:ietf:bcp:47","code":"\#(code)"}]}"#
        let spoken = try paths(#"{"resourceType":"Patient","communication":[{"language":\#(coding)}]}"#)
        #expect(spoken.isEmpty == isLanguage, "\(spoken)")
    }

    @Test(arguments: [
        ("urn:ietf:bcp:47", "en-US", "English", true), ("urn:ietf:bcp:47", "en-US", "English (United States)", true),
        ("urn:ietf:bcp:47", "en-US", "English (Region=United States)", true),
        ("urn:ietf:bcp:47", "en-GB", "English (Great Britain)", true),
        ("urn:ietf:bcp:47", "nb", "Norwegian", true), ("urn:ietf:bcp:47", "fy", "Frysian", true),
        ("urn:ietf:bcp:47", "en-US", "German", false),
        ("urn:ietf:bcp:47", "en-US", "German (Austria)", false), ("http://unitsofmeasure.org", "mm[Hg]", "mmHg", true),
    ])
    func aDisplayIsWrongIfItNamesAnother(_ system: String, _ code: String, _ display: String, _ isRight: Bool) throws {
        let coding = #"{"system":"\#(system)","code":"\#(code)","display":"\#(display)"}"#
        let text = #"{"resourceType":"Basic","code":{"coding":[\#(coding)]}}"#
        let resource = try FHIRJSON.lenientResource(from: Data(text.utf8), release: .r4).resource
        let wrong = try FHIRValidator(knowledge: Knowledge(release: .r4)).validate(resource).filter { $0.messageID == .display }
        #expect(wrong.map(\.path) == (isRight ? [] : ["Basic.code.coding[0].display"]))
    }

    @Test func aLanguageOfAnotherSystemIsNone() throws {
        func spoken(_ concept: String) throws -> [String] {
            try paths(#"{"resourceType":"Patient","communication":[{"language":\#(concept)}]}"#)
        }
        #expect(
            try spoken(#"{"coding":[{"system":"http://example.org/languages","code":"en"}]}"#) == ["Patient.communication[0].language"])
        // One code of the value set is enough, and a text alone is no wrong code.
        let both = #"{"coding":[{"system":"http://example.org/languages","code":"en"},{"system":"urn:ietf:bcp:47","code":"en"}]}"#
        #expect(try spoken(both).isEmpty)
        #expect(try spoken(#"{"text":"English"}"#).isEmpty)
    }

    @Test(arguments: [
        ("data-absent-reason", "unknown", true), ("data-absent-reason", "asked-declined", true), ("data-absent-reason", "bogus", false),
        ("structuredefinition-standards-status", "trial-use", true), ("structuredefinition-standards-status", "trial", false),
        ("questionnaire-choiceOrientation", "vertical", true), ("questionnaire-choiceOrientation", "diagonal", false),
    ])
    func extensionsOfFHIRHaveTheirCodes(_ name: String, _ code: String, _ isBound: Bool) throws {
        let url = "http://hl7.org/fhir/StructureDefinition/\(name)"
        let found = try paths(#"{"resourceType":"Patient","_birthDate":{"extension":[{"url":"\#(url)","valueCode":"\#(code)"}]}}"#)
        #expect(found.isEmpty == isBound, "\(found)")
    }
}

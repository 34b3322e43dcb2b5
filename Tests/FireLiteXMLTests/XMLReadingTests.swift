import FireLiteCore
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteXML

/// What a document of FHIR XML means, and where its mistakes are.
@Suite struct XMLReadingTests {
    static func document(_ content: String, _ type: String = "Patient") -> Data {
        Data("<\(type) xmlns=\"http://hl7.org/fhir\">\(content)</\(type)>".utf8)
    }

    private static let div = #"<div xmlns="http://www.w3.org/1999/xhtml">"#

    private func json(_ content: String, _ type: String = "Patient") throws -> String {
        FHIRJSON.string(try FHIRXML.resource(from: Self.document(content, type), release: .r4))
    }

    private func failure(_ content: String, _ type: String = "Patient") -> FHIRDecodingError? {
        do {
            _ = try FHIRXML.resource(from: Self.document(content, type), release: .r4)
            return nil
        } catch {
            return error as? FHIRDecodingError
        }
    }

    // MARK: - Content

    @Test func valuesKeepTheirLiterals() throws {
        let content =
            #"<active value="true"/><birthDate value="1974-12"/><multipleBirthInteger value="2"/>"#
        #expect(
            try json(content) == #"{"resourceType":"Patient","active":true,"birthDate":"1974-12","multipleBirthInteger":2}"#)
        let quantity = #"<status value="final"/><code><text value="x"/></code><valueQuantity><value value="1.10"/></valueQuantity>"#
        #expect(
            try json(quantity, "Observation")
                == #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.10}}"#)
    }

    @Test func primitivesHaveIDsAndExtensions() throws {
        let content = """
            <birthDate id="b" value="1974"><extension url="u"><valueString value="x"/></extension></birthDate>
            """
        #expect(
            try json(content)
                == #"{"resourceType":"Patient","birthDate":"1974","_birthDate":{"id":"b","extension":[{"url":"u","valueString":"x"}]}}"#)
        let names = """
            <name><given value="A"/><given><extension url="u"><valueString value="x"/></extension></given><given id="c" value="C"/></name>
            """
        #expect(
            try json(names)
                == #"{"resourceType":"Patient","name":[{"given":["A",null,"C"],"_given":[null,{"extension":[{"url":"u","valueString":"x"}]},{"id":"c"}]}]}"#
        )
    }

    @Test func extensionsWithinExtensionsKeepTheirURL() throws {
        let content = #"<extension id="e" url="a"><extension url="b"><valueCode value="c"/></extension></extension>"#
        #expect(
            try json(content)
                == #"{"resourceType":"Patient","extension":[{"id":"e","extension":[{"url":"b","valueCode":"c"}],"url":"a"}]}"#)
    }

    @Test func resourcesAreInTheirElements() throws {
        let content = """
            <contained><Organization><id value="o"/></Organization></contained><contained><Patient><id value="p"/></Patient></contained>
            """
        #expect(
            try json(content)
                == #"{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o"},{"resourceType":"Patient","id":"p"}]}"#
        )
    }

    @Test func charactersAndEntitiesAreText() throws {
        let patient = try FHIRXML.decode(
            Patient.self,
            from: Self.document("<name><family value=\"&amp;&lt;&gt;&quot;&apos;&#38;&#x1F600;ä&#10;b\nc\"/></name>"))
        #expect(patient.name.first?.family == "&<>\"'&😀ä\nb c")
    }

    @Test func commentsInstructionsAndSpaceAreNoContent() throws {
        let content = "\n <!-- a -->\r\n\t<?b c?><active value=\"true\"/> <![CDATA[ ]]>&#32;"
        #expect(try json(content) == #"{"resourceType":"Patient","active":true}"#)
        let text =
            #"<?xml version="1.0" encoding="utf-8"?><!-- a --><?b?><Patient xmlns="http://hl7.org/fhir"><id value="a"/></Patient><!-- z -->"#
        #expect(try FHIRXML.decode(Patient.self, from: Data(text.utf8)).id == "a")
        #expect(try FHIRXML.decode(Patient.self, from: Data([0xEF, 0xBB, 0xBF] + text.utf8)).id == "a")
    }

    @Test func commentsAreContentInDSTU2() throws {
        let release = try #require(BundledRelease.named("DSTU2")).release
        let xml = Self.document(#"<!-- one --><birthDate value="1974"><!--two--></birthDate>"#)
        let json = #"{"resourceType":"Patient","fhir_comments":[" one "],"birthDate":"1974","_birthDate":{"fhir_comments":["two"]}}"#
        let resource = try FHIRXML.resource(from: xml, release: release)
        #expect(try JSONTree(FHIRJSON.data(resource)).difference(to: JSONTree(Data(json.utf8))) == nil)
        #expect(try FHIRXML.data(resource) == xml)
    }

    @Test func narrativesAreKeptToTheLetter() throws {
        let div = Self.div + "<p  class='a'>&lt;b&gt; <!-- c --> <br/>ä&#160;<![CDATA[<]]>\r\n</p ></div >"
        let patient = try FHIRXML.decode(
            Patient.self, from: Self.document("<text><status value=\"generated\"/>\(div)</text><active value=\"true\"/>"))
        #expect(patient.text?.div == div)
        #expect(patient.active == true)
        #expect(try FHIRXML.string(patient).contains(div))
        let empty = #"<div xmlns="http://www.w3.org/1999/xhtml"/>"#
        #expect(try FHIRXML.decode(Narrative.self, from: Self.document(empty, "Narrative")).div == empty)
    }

    @Test func narrativesDeclareTheNamespacesAroundThem() throws {
        let text = """
            <f:Patient xmlns:f="http://hl7.org/fhir" xmlns="http://www.w3.org/1999/xhtml" xmlns:x="urn:x" xmlns:y="urn:y">\
            <f:text><f:status value="generated"/><div><p x:a="1">t</p></div></f:text></f:Patient>
            """
        let patient = try FHIRXML.decode(Patient.self, from: Data(text.utf8))
        #expect(patient.text?.div == #"<div xmlns="http://www.w3.org/1999/xhtml" xmlns:x="urn:x"><p x:a="1">t</p></div>"#)
        let prefixed = """
            <Patient xmlns="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml"><text><status value="generated"/>\
            <h:div><h:p>t</h:p></h:div></text></Patient>
            """
        let other = try FHIRXML.decode(Patient.self, from: Data(prefixed.utf8))
        #expect(other.text?.div == #"<h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>t</h:p></h:div>"#)
    }

    // MARK: - Mistakes

    @Test(arguments: [
        (#"<nick value="a"/>"#, "unknownMember", "Patient.nick"),
        (#"<active value="true"/><active value="false"/>"#, "duplicateMember", "Patient.active"),
        (#"<deceasedBoolean value="true"/><deceasedDateTime value="2020"/>"#, "secondChoice", "Patient.deceasedDateTime"),
        (#"<birthDate value="1974"/><active value="true"/>"#, "outOfOrder", "Patient.active"),
        (#"<name><given value="a"/></name><active value="true"/>"#, "outOfOrder", "Patient.active"),
        (#"<active value="yes"/>"#, "invalidValue", "Patient.active"),
        (#"<active value="1"/>"#, "invalidValue", "Patient.active"),
        (#"<multipleBirthInteger value="01"/>"#, "invalidValue", "Patient.multipleBirthInteger"),
        (#"<multipleBirthInteger value="99999999999"/>"#, "invalidValue", "Patient.multipleBirthInteger"),
        (#"<birthDate value="1974-13"/>"#, "invalidValue", "Patient.birthDate"),
        (
            #"<name><family value="a"/></name><name><given value="b"/><period><start value="x"/></period></name>"#, "invalidValue",
            "Patient.name[1].period.start"
        ),
        (#"<active/>"#, "empty", "Patient.active"), (#"<name/>"#, "empty", "Patient.name[0]"),
        (#"<contained/>"#, "empty", "Patient.contained[0]"),
        (#"<active value="true" other="x"/>"#, "unknownMember", "Patient.active"),
        (#"<name value="a"/>"#, "unknownMember", "Patient.name[0]"),
        (#"<name><id value="a"/></name>"#, "unknownMember", "Patient.name[0].id"),
        (#"<extension><url value="a"/></extension>"#, "unknownMember", "Patient.extension[0].url"),
        (
            #"<contained><Patient><id value="a"/></Patient><Patient><id value="b"/></Patient></contained>"#, "duplicateMember",
            "Patient.contained[0]"
        ),
        (#"<contained><HumanName><text value="a"/></HumanName></contained>"#, "resourceType", "Patient.contained[0]"),
        (#"<active value="true">text</active>"#, "misplacedText", "Patient.active"),
        (#"<active value="true"/>text"#, "misplacedText", "Patient"),
        (#"<active xmlns="urn:x" value="true"/>"#, "namespace", "Patient.active"),
        (#"<text><status value="generated"/><div>t</div></text>"#, "namespace", "Patient.text.div"),
        (#"<active value="true"></name>"#, "malformedXML", "Patient.active"), (#"<active value="&nbsp;"/>"#, "malformedXML", "Patient"),
        (#"<active value=true/>"#, "malformedXML", "Patient"), (#"<active value="true" value="true"/>"#, "malformedXML", "Patient"),
        (#"<x:active value="true"/>"#, "malformedXML", "Patient"), (#"<active value="&#0;"/>"#, "invalidText", "Patient"),
    ])
    func mistakesHaveTheirPlace(_ content: String, _ code: String, _ path: String) {
        let error = failure("\n" + content)
        #expect(error?.code.rawValue == code, "\(content): \(error?.description ?? "no error")")
        #expect(error?.path == path, "\(content): \(error?.description ?? "no error")")
        #expect(error?.line == 2, "\(content): \(error?.description ?? "no error")")
    }

    @Test func placesAreLineAndColumnOfTheTag() {
        let error = failure("\n  <active value=\"true\"/>\n  <ä/><nick\n value=\"a\"/>")
        #expect(error.map { "\($0)" } == "line 3, column 3, Patient.?: expected an element of Patient, found an element, not a FHIR name")
        let other = failure("\n  <active value=\"true\"/>\n <nick\n value=\"a\"/>")
        #expect(other.map { "\($0)" } == "line 3, column 2, Patient.nick: expected an element of Patient, found an element, 'nick'")
        #expect(other?.offset == 38 + 24 + 2)
        let near = failure("\n  <birthDat value=\"1970\"/>")
        #expect(near?.description.hasSuffix("found an element, 'birthDat': did you mean 'birthDate'?") == true)
    }

    @Test func lenientReadingKeepsTheValidParts() throws {
        let content = """
            <nick value="a"><deep><er/></deep></nick><birthDate value="1974"/><active value="true"/>text<name><given value="A"/></name>\
            <name/><gender value="male"/><name><given value="B"/></name><multipleBirthInteger value="x"/><text><status value="generated"/>\
            <div>t</div></text>
            """
        let (resource, issues) = try FHIRXML.lenientResource(from: Self.document(content), release: .r4)
        #expect(
            FHIRJSON.string(resource)
                == #"{"resourceType":"Patient","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">t</div>"},"active":true,"name":[{"given":["A"]},{"given":["B"]}],"gender":"male","birthDate":"1974"}"#
        )
        #expect(
            issues.map { "\($0.code.rawValue) \($0.path)" } == [
                "unknownMember Patient.nick", "outOfOrder Patient.active", "misplacedText Patient", "outOfOrder Patient.name",
                "outOfOrder Patient.name", "empty Patient.name[1]", "outOfOrder Patient.gender", "outOfOrder Patient.name",
                "invalidValue Patient.multipleBirthInteger",
                "outOfOrder Patient.text", "namespace Patient.text.div",
            ])
    }

    @Test func messagesContainNoValues() {
        for content in [
            "<active value=\"SECRET\"/>", "<birthDate value=\"SECRET\"/>", "SECRET", "<SECRET.1/>", "<active value=\"&SECRET;\"/>",
        ] {
            let error = failure(content)
            #expect(error != nil && !"\(error.map { "\($0)" } ?? "")".contains("SECRET"))
        }
    }

    @Test func theRootMustBeOfTheType() {
        #expect(throws: FHIRDecodingError.self) { try FHIRXML.decode(Observation.self, from: Self.document("")) }
        #expect(throws: FHIRDecodingError.self) { try FHIRXML.decode(Patient.self, from: Data("<Patient/>".utf8)) }
        #expect(throws: FHIRDecodingError.self) { try FHIRXML.resource(from: Self.document("", "HumanName"), release: .r4) }
        #expect(throws: FHIRDecodingError.self) { try FHIRXML.resource(from: Self.document("", "Elephant"), release: .r4) }
    }
}

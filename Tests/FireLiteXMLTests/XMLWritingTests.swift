import FireLiteCore
import FireLiteDSTU2
import FireLiteR4
import FireLiteReleases
import FireLiteXML
import Foundation
import TestSupport
import Testing

/// What is written as XML, and what is refused because XML cannot hold it.
@Suite struct XMLWritingTests {
    private func failure(_ json: String, _ release: FHIRRelease = .r4) throws -> FHIRXMLError? {
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: release)
        do {
            _ = try FHIRXML.data(resource)
            return nil
        } catch {
            return error as? FHIRXMLError
        }
    }

    @Test func elementsHaveTheOrderOfTheDefinitions() throws {
        let json =
            #"{"resourceType":"Patient","birthDate":"1974","_birthDate":{"id":"b"},"name":[{"given":["A",null],"_given":[null,{"id":"g"}],"family":"<&>\"\n"}],"contained":[{"resourceType":"Patient","id":"1"}],"id":"p"}"#
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        #expect(
            try FHIRXML.string(resource)
                == #"<Patient xmlns="http://hl7.org/fhir"><id value="p"/><contained><Patient><id value="1"/></Patient></contained><name><family value="&lt;&amp;&gt;&quot;&#xA;"/><given value="A"/><given id="g"/></name><birthDate value="1974" id="b"/></Patient>"#
        )
    }

    @Test func prettyPrintingPutsEachElementOnALine() throws {
        let json =
            #"{"resourceType":"Patient","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>a\n</p></div>"},"contained":[{"resourceType":"Patient","id":"1"}],"birthDate":"1974","_birthDate":{"extension":[{"url":"u","valueCode":"c"}]}}"#
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        let pretty = try FHIRXML.string(resource, pretty: true)
        #expect(
            pretty == """
                <Patient xmlns="http://hl7.org/fhir">
                  <text>
                    <status value="generated"/>
                    <div xmlns="http://www.w3.org/1999/xhtml"><p>a
                </p></div>
                  </text>
                  <contained>
                    <Patient>
                      <id value="1"/>
                    </Patient>
                  </contained>
                  <birthDate value="1974">
                    <extension url="u">
                      <valueCode value="c"/>
                    </extension>
                  </birthDate>
                </Patient>
                """)
        #expect(try FHIRXML.resource(from: Data(pretty.utf8), release: .r4) == resource)
    }

    @Test(arguments: [
        "", "text", "<p/>", "<div xmlns=''>", "<div xmlns='http://www.w3.org/1999/xhtml'>",
        "<div xmlns='http://www.w3.org/1999/xhtml'></p></div>",
        "<div xmlns='http://www.w3.org/1999/xhtml'>&nbsp;</div>", "<div xmlns='http://www.w3.org/1999/xhtml'/><active value='true'/>",
        "<div xmlns='http://www.w3.org/1999/xhtml'/></text><active value='true'/><text>",
        "<?xml version='1.0'?><div xmlns='http://www.w3.org/1999/xhtml'/>",
        "<!DOCTYPE div><div xmlns='http://www.w3.org/1999/xhtml'/>", "<!-- a --><div xmlns='http://www.w3.org/1999/xhtml'/>",
        "<div xmlns='http://www.w3.org/1999/xhtml'/><!-- a -->", "<div xmlns='http://www.w3.org/1999/xhtml'/><?a?>",
        "<?a?><div xmlns='http://www.w3.org/1999/xhtml'/>",
        " <div xmlns='http://www.w3.org/1999/xhtml'/>", "<div xmlns='http://www.w3.org/1999/xhtml'/> ",
        "<div xmlns='http://www.w3.org/1999/xhtml'>\\u0001</div>",
        "<div xmlns='http://www.w3.org/1999/xhtml'>\\u0000</div>", "<div xmlns='http://www.w3.org/1999/xhtml' a='1' a='2'/>",
        "<div xmlns='http://www.w3.org/1999/xhtml'><x:p/></div>",
    ])
    func narrativesThatAreNotXHTMLAreRefused(_ div: String) throws {
        let error = try failure("{\"resourceType\":\"Patient\",\"text\":{\"status\":\"generated\",\"div\":\"\(div)\"}}")
        #expect(error?.code == .malformedNarrative && error?.path == "Patient.text.div", "\(div)")
    }

    @Test func narrativesWithoutANamespaceGetIt() throws {
        let json = #"{"resourceType":"Patient","text":{"status":"generated","div":"<div class='a'>b</div>"}}"#
        #expect(
            try FHIRXML.string(FHIRJSON.resource(from: Data(json.utf8), release: .r4))
                == #"<Patient xmlns="http://hl7.org/fhir"><text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml" class='a'>b</div></text></Patient>"#
        )
    }

    @Test func charactersThatXMLLacksAreRefused() throws {
        for character in ["\\u0000", "\\u0001", "\\u001F", "\\uFFFE", "\\uFFFF"] {
            let error = try failure("{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"a\"},{\"given\":[\"b\",\"\(character)\"]}]}")
            #expect(error?.code == .invalidCharacter && error?.path == "Patient.name[1].given[1]", "\(character)")
        }
        #expect(try failure(#"{"resourceType":"Patient","name":[{"text":"\u007F\uFFFD\uD83D\uDE00\t"}]}"#) == nil)
    }

    @Test func attributesHaveNoExtensions() throws {
        let url = try failure(#"{"resourceType":"Patient","extension":[{"url":"u","_url":{"id":"a"},"valueCode":"c"}]}"#)
        #expect(url?.code == .annotatedAttribute && url?.path == "Patient.extension[0].url")
        let id = try failure(#"{"resourceType":"Patient","name":[{"id":"n","_id":{"extension":[{"url":"u","valueCode":"c"}]}}]}"#)
        #expect(id?.code == .annotatedAttribute && id?.path == "Patient.name[0].id")
        #expect(try failure(#"{"resourceType":"Patient","id":"n","_id":{"extension":[{"url":"u","valueCode":"c"}]}}"#) == nil)
    }

    @Test func commentsThatXMLLacksAreRefused() throws {
        let release = try #require(BundledRelease.named("DSTU2")).release
        for comment in ["a--b", "-", "a-", "\\u0001"] {
            let error = try failure("{\"resourceType\":\"Patient\",\"fhir_comments\":[\"\(comment)\"]}", release)
            #expect(error?.path.hasPrefix("Patient.fhir_comments") ?? false, "\(comment)")
        }
        #expect(try failure(#"{"resourceType":"Patient","fhir_comments":["a - b"]}"#, release) == nil)
    }

    /// Random instances of every resource type of R4 and DSTU2. Those with content that XML has no place for are refused.
    @Test(arguments: [FHIRRelease.r4, .dstu2]) func randomInstancesSurviveTheWayThroughXML(_ release: FHIRRelease) throws {
        var (compared, refused) = (0, 0)
        for (number, type) in release.resourceTypes.enumerated() {
            for (seed, mode) in [(0, RandomInstance.Mode.sparse), (1, .sparse), (2, .sparse), (3, .everything(round: 0))] {
                var random = RandomInstance(seed: UInt64(number * 4 + seed), mode: mode)
                random.isStrictlyValid = true
                let object = random.object(of: type)
                let json = FHIRJSON.data(object)
                let xml: Data
                do {
                    xml = try FHIRXML.data(object)
                } catch let error as FHIRXMLError where [.annotatedAttribute, .invalidComment, .malformedNarrative].contains(error.code) {
                    refused += 1
                    continue
                }
                compared += 1
                let read = try FHIRXML.resource(from: xml, release: release)
                #expect(FHIRJSON.data(read) == json, "\(type) \(mode)")
                let pretty = try FHIRXML.data(object, pretty: true)
                #expect(try FHIRJSON.data(FHIRXML.resource(from: pretty, release: release)) == json, "\(type) \(mode)")
            }
        }
        #expect(compared > 100 && compared + refused == 4 * release.resourceTypes.count)
    }
}

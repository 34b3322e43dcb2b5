import FireLiteCore
import FireLiteR4
// example UsingXML.md
import FireLiteXML
// end
import Foundation
import Testing

/// The examples on the page UsingXML.md, between `// example` and `// end`.
@Suite struct XMLExamples {
    private let data = Data(
        "<Patient xmlns=\"http://hl7.org/fhir\">\n  <birthDate value=\"1974\"/>\n    <active value=\"true\"/></Patient>".utf8)

    @Test func reading() throws {
        let data = Data("<Patient xmlns=\"http://hl7.org/fhir\"><active value=\"true\"/></Patient>".utf8)
        // example UsingXML.md
        let patient = try FHIRXML.decode(Patient.self, from: data)
        let resource = try FHIRXML.resource(from: data, release: .r4)
        let xml = try FHIRXML.data(patient)
        print(try FHIRXML.string(resource, pretty: true))
        // end
        #expect(xml == data && resource == patient)
    }

    @Test func mistakes() throws {
        // example UsingXML.md
        let (resource, issues) = try FHIRXML.lenientResource(from: data, release: .r4)
        for issue in issues { print(issue) }  // line 3, column 5, Patient.active: expected …
        print(resource.resourceType)
        // end
        #expect(
            issues.map { "\($0)" } == [
                "line 3, column 5, Patient.active: expected the elements of Patient in their order, found one too late"
            ])
        #expect(FHIRJSON.string(resource) == #"{"resourceType":"Patient","active":true,"birthDate":"1974"}"#)
    }
}

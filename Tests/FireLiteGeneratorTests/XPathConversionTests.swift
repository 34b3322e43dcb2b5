import Testing

@testable import FireLiteGenerator

struct XPathConversionTests {
    @Test func formsOfTheDefinitionsBecomeFHIRPath() {
        let cases = [
            ("f:Patient/f:name", "Patient.name"), ("f:*/f:id", "Resource.id"),
            (
                "f:Patient/f:telecom[system/@value='email'] | f:Person/f:telecom[system/@value='email']",
                "Patient.telecom.where(system='email') | Person.telecom.where(system='email')"
            ),
            ("f:Patient/f:extension[@url='http://example.org/race']", "Patient.extension.where(url='http://example.org/race').value"),
            ("f:Bundle/f:entry/f:resource[0]", "Bundle.entry[0].resource"), ("f:A/f:b | f:A/f:b", "A.b"),
        ]
        for (xpath, expression) in cases { #expect(XPathConversion.expression(xpath) == expression) }
        for other in ["/f:#author", "f:A/g:b", "f:A/f:b[@id='1']"] { #expect(XPathConversion.expression(other) == nil) }
    }
}

import FireLiteCore
import FireLiteR4
import Foundation
import Testing

struct ShorthandTests {
    @Test func quantitiesHaveAUnitOfUCUM() {
        let weight = Quantity(3, "kg")
        #expect(
            FHIRJSON.string(weight) == #"{"value":3,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}"#)
        #expect(Quantity("1.50", "mmol/L").displayText == "1.50 mmol/L")
        #expect(Quantity(120, "mm[Hg]", unit: "mmHg").displayText == "120 mmHg")
        #expect(Quantity().displayText == nil)
        let age = Age(30, "a", unit: "years")
        #expect(age.displayText == "30 years" && type(of: age) == Age.self)
    }

    @Test func codesHaveTheAddressOfTheirSystem() {
        let concept = CodeableConcept(.loinc("8867-4", display: "Heart rate"), .snomed("364075005"), text: "Pulse")
        #expect(concept.coding.map(\.system) == ["http://loinc.org", "http://snomed.info/sct"])
        #expect(concept.contains("8867-4", of: .loinc) && !concept.contains("8867-4", of: .snomed))
        #expect(concept.code(of: .snomed) == "364075005" && concept.code(of: .ucum) == nil)
        #expect(concept.displayText == "Pulse")
        #expect(CodeableConcept(.loinc("8867-4", display: "Heart rate")).displayText == "Heart rate")
        #expect(CodeableConcept(.ucum("kg")).displayText == "kg" && CodeableConcept().displayText == nil)
        #expect(Coding("http://example.org", "x").system == "http://example.org")
    }

    @Test func namesGoToFoundationAndBack() {
        var components = PersonNameComponents()
        components.familyName = "Chalmers"
        components.givenName = "Peter"
        components.middleName = "James"
        components.namePrefix = "Dr."
        let name = HumanName(components)
        #expect(name.family == "Chalmers" && name.given == ["Peter", "James"] && name.prefix == ["Dr."] && name.suffix.isEmpty)
        #expect(name.displayText == "Dr. Peter James Chalmers")
        #expect(name.personNameComponents == components)
        name.text = "Peter C."
        #expect(name.displayText == "Peter C." && HumanName().displayText == nil)
    }

    @Test func momentsBecomeDatesOfAZone() throws {
        let moment = Date(timeIntervalSince1970: 1_584_655_200)  // 2020-03-19T22:00:00Z
        let zone = try #require(TimeZone(secondsFromGMT: 2 * 3_600 + 30 * 60))
        #expect(FHIRDate(moment, in: zone).literal == "2020-03-20")
        #expect(FHIRDateTime(moment, in: zone).literal == "2020-03-20T00:30:00+02:30")
        #expect(FHIRInstant(moment, in: zone).date == moment)
        #expect(FHIRTime(moment, in: zone).literal == "00:30:00")
        #expect(FHIRDateTime(moment, in: .gmt).literal == "2020-03-19T22:00:00Z")
        #expect(FHIRDate(moment, in: .gmt).dateComponents.day == 19)
    }
}

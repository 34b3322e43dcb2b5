import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// The `_name` side of primitives: ids, extensions and nulls in lists.
@Suite struct PrimitiveElementTests {
    @Test func readAndWritten() throws {
        let json =
            #"{"resourceType":"Patient","name":[{"given":["Peter",null,"James"],"_given":[null,{"id":"g"},{"extension":[{"url":"u"}]}]}],"birthDate":"1974","_birthDate":{"id":"b"},"_active":{"extension":[{"url":"a"}]}}"#
        let patient = try Patient(json: json)
        #expect(patient.birthDate == "1974")
        #expect((patient[element: \.birthDate] as? Element)?.id == "b")
        #expect(patient.active == nil)
        #expect((patient[element: \.active] as? Element)?.extension.map(\.url) == ["a"])
        let name = patient.name[0]
        #expect(name.given == ["Peter", "James"])
        #expect(name[literals: \.given] == ["Peter", nil, "James"])
        #expect(name[elements: \.given].map { ($0 as? Element)?.id } == [nil, "g", nil])
        #expect(try JSONTree(FHIRJSON.string(patient)) == JSONTree(json))
        // Which of the two members comes first does not matter.
        let swapped =
            #"{"name":[{"_given":[null,{"id":"g"},{"extension":[{"url":"u"}]}],"given":["Peter",null,"James"]}],"_active":{"extension":[{"url":"a"}]},"_birthDate":{"id":"b"},"birthDate":"1974","resourceType":"Patient"}"#
        #expect(try Patient(json: swapped) == patient)
    }

    @Test func listsOfDifferentLengthsAreFilledWithNulls() throws {
        let name = try HumanName(json: #"{"given":["a"],"_given":[null,{"id":"x"}]}"#)
        #expect(name[literals: \.given] == ["a", nil])
        #expect(FHIRJSON.string(name) == #"{"given":["a",null],"_given":[null,{"id":"x"}]}"#)
        let longer = try HumanName(json: #"{"_given":[{"id":"x"}],"given":["a","b"]}"#)
        #expect(longer[elements: \.given].count == 2)
        #expect(FHIRJSON.string(longer) == #"{"given":["a","b"],"_given":[{"id":"x"},null]}"#)
        let without = try HumanName(json: #"{"_given":[{"id":"x"}]}"#)
        #expect(without.given.isEmpty)
        #expect(without[literals: \.given] == [nil])
        #expect(FHIRJSON.string(without) == #"{"_given":[{"id":"x"}]}"#)
    }

    @Test func setAndCleared() {
        let patient = Patient { $0.birthDate = "1974" }
        let element = Element { $0.id = "b" }
        patient[element: \.birthDate] = element
        #expect(patient[element: \.birthDate] === element)
        #expect(element.ownerObject === patient)
        patient.birthDate = "1975"
        #expect(patient[element: \.birthDate] === element)
        patient.birthDate = nil
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","_birthDate":{"id":"b"}}"#)
        patient.birthDate = "1976"
        patient[element: \.birthDate] = nil
        #expect(element.ownerObject == nil)
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","birthDate":"1976"}"#)
        let other = Patient()
        other[element: \.gender] = element
        patient[element: \.gender] = element
        #expect(other[element: \.gender] === element)
        #expect(patient[element: \.gender] !== element)
        #expect(patient.gender == nil)
    }

    @Test func settingTheElementOfAChoiceClearsTheOthers() {
        let patient = Patient { $0.deceasedBoolean = true }
        patient[element: \.deceasedDateTime] = Element { $0.id = "d" }
        #expect(patient.deceasedBoolean == nil)
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","_deceasedDateTime":{"id":"d"}}"#)
        patient.deceasedBoolean = false
        #expect(patient[element: \.deceasedDateTime] == nil)
    }

    @Test func listsKeepNullsAndElementsWhenValuesAreSet() throws {
        let name = try HumanName(json: #"{"given":["a",null,"b"],"_given":[{"id":"1"},{"id":"2"},{"id":"3"}]}"#)
        let elements = name[elements: \.given]
        name.given = ["x", "y"]
        #expect(name[literals: \.given] == ["x", nil, "y"])
        #expect(zip(name[elements: \.given], elements).allSatisfy { $0 === $1 })
        name.given = ["x"]
        #expect(FHIRJSON.string(name) == #"{"given":["x",null],"_given":[{"id":"1"},{"id":"2"}]}"#)
        #expect(elements[2]?.ownerObject == nil)
        name.given = ["x", "y", "z"]
        #expect(name[literals: \.given] == ["x", nil, "y", "z"])
        name[elements: \.given] = []
        #expect(name[literals: \.given] == ["x", nil, "y", "z"])
        #expect(elements[0]?.ownerObject == nil)
        name[elements: \.given] = [nil, Element { $0.id = "n" }]
        #expect(FHIRJSON.string(name) == #"{"given":["x",null,"y","z"],"_given":[null,{"id":"n"},null,null]}"#)
    }

    @Test func elementsPastTheValuesBecomeNulls() {
        let name = HumanName()
        name[elements: \.given] = [nil, Element { $0.id = "1" }]
        #expect(name[literals: \.given] == [nil, nil])
        #expect(FHIRJSON.string(name) == #"{"_given":[null,{"id":"1"}]}"#)
        expectSoundOwnership(name)
    }

    /// The property behind a key path is found for every kind of primitive, and for no other property.
    @Test func propertiesAreFoundByTheirKeyPaths() {
        #expect(ElementProbe.element(\Patient.birthDate, of: Patient.self)?.name == "birthDate")
        #expect(ElementProbe.element(\Patient.id, of: Patient.self)?.name == "id")
        #expect(ElementProbe.element(\Patient.gender, of: Patient.self)?.name == "gender")
        #expect(ElementProbe.element(\Patient.name, of: Patient.self)?.name == "name")
        #expect(ElementProbe.element(\Patient.contained, of: Patient.self)?.name == "contained")
        #expect(ElementProbe.element(\Patient.deceasedDateTime, of: Patient.self)?.name == "deceasedDateTime")
        #expect(ElementProbe.element(\Patient.deceased, of: Patient.self)?.choice?.name == "deceased[x]")
        #expect(ElementProbe.element(\Patient.managingOrganization, of: Patient.self)?.targets == ["Organization"])
        #expect(ElementProbe.element(\HumanName.given, of: HumanName.self)?.isList == true)
        #expect(ElementProbe.element(\Patient.isEmpty, of: Patient.self) == nil)
    }
}

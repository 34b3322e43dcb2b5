import FireLiteCore
import FireLiteR4
import Testing

/// What generated properties do: native types, choice elements, lists.
@Suite struct SetterTests {
    @Test func primitivesOfEveryKind() {
        let patient = Patient()
        #expect(patient.isEmpty)
        patient.active = true
        patient.birthDate = "1974-12-25"
        patient.multipleBirthInteger = -3
        patient.id = "1"
        patient.gender = .female
        patient.language = "en"
        #expect(patient.active == true)
        #expect(patient.birthDate == "1974-12-25")
        #expect(patient.multipleBirthInteger == -3)
        #expect((patient.id, patient.gender, patient.language) == ("1", .female, "en"))
        #expect(
            FHIRJSON.string(patient)
                == #"{"resourceType":"Patient","id":"1","language":"en","active":true,"gender":"female","birthDate":"1974-12-25","multipleBirthInteger":-3}"#
        )
        patient.active = nil
        patient.birthDate = nil
        patient.multipleBirthInteger = nil
        patient.gender = nil
        patient.language = nil
        patient.id = nil
        #expect(patient.isEmpty)
        #expect(patient == Patient())
    }

    @Test func orderOfSettingDoesNotMatter() {
        let elements: [(Patient) -> Void] = [
            { $0.id = "1" }, { $0.active = false }, { $0.birthDate = "2000" }, { $0.name = [HumanName { $0.text = "a" }] },
            { $0.deceasedDateTime = "2020" },
            { $0.maritalStatus = CodeableConcept { $0.text = "m" } },
        ]
        let expected = Patient { patient in for set in elements { set(patient) } }
        for rotation in elements.indices {
            let patient = Patient { patient in for set in elements[rotation...] + elements[..<rotation] { set(patient) } }
            #expect(patient == expected)
            #expect(FHIRJSON.string(patient) == FHIRJSON.string(expected))
        }
    }

    // MARK: - Choice elements

    @Test func settingAChoiceClearsTheOthers() {
        let observation = Observation()
        let quantity = Quantity { $0.value = 1.5 }
        observation.valueQuantity = quantity
        #expect(quantity.ownerObject === observation)
        observation.valueString = "high"
        #expect(observation.valueQuantity == nil)
        #expect(quantity.ownerObject == nil)
        guard case .string("high")? = observation.value else {
            Issue.record("the choice element has another value")
            return
        }
        observation.value = .quantity(quantity)
        #expect(observation.valueString == nil)
        #expect(observation.valueQuantity === quantity)
        observation.valueInteger = nil
        #expect(observation.valueQuantity === quantity)
        observation.value = .boolean(false)
        #expect(observation.valueBoolean == false)
        #expect(quantity.ownerObject == nil)
        observation.value = nil
        #expect(observation.isEmpty)
        #expect(observation.value == nil)
    }

    @Test func everyTypeOfAChoiceClearsTheOthers() throws {
        for type in FHIRRelease.r4.types {
            for choice in Set(type._layout.elements.compactMap { $0.choice?.slots }) {
                let object = type.init()
                for slot in choice { try set(slot, of: object, clearing: choice) }
                for slot in choice.reversed() { try set(slot, of: object, clearing: choice) }
            }
        }
    }

    private func set(_ slot: Int, of object: FHIRObject, clearing choice: Swift.Range<Int>) throws {
        let element = object.layout.elements[slot]
        if let type = element.type {
            object._setObject(slot, type.init())
        } else {
            switch element.primitive {
            case .boolean: object._setBool(slot, true)
            case .integer, .positiveInt, .unsignedInt, .integer64: object._setInt(slot, 1)
            case .decimal: object._setDecimal(slot, 1)
            case .date: object._setDate(slot, "2020")
            case .dateTime: object._setDateTime(slot, "2020")
            case .instant: object._setInstant(slot, "2020-01-01T00:00:00Z")
            case .time: object._setTime(slot, "12:00:00")
            default: object._setString(slot, "a")
            }
        }
        try #require(choice.filter { object.value($0) != nil } == [slot])
        try #require(object._chosen(choice.lowerBound, choice.count) == slot - choice.lowerBound)
    }

    // MARK: - Codes

    @Test func codesAreOpen() throws {
        #expect(AdministrativeGender.female.rawValue == "female")
        #expect(AdministrativeGender.known == [.male, .female, .other, .unknown])
        let other = AdministrativeGender(rawValue: "something new")
        #expect(!other.isKnown)
        #expect(("male" as AdministrativeGender).isKnown)
        let patient = try Patient(json: #"{"resourceType":"Patient","gender":"something new"}"#)
        #expect(patient.gender == other)
        #expect(patient.gender?.description == "something new")
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","gender":"something new"}"#)
        let event = AuditEvent { $0.action = "Z" }
        #expect(event.action?.isKnown == false)
    }

    // MARK: - Lists

    @Test func listsAreArrays() {
        let name = HumanName()
        #expect(name.given.isEmpty)
        name.given.append("Peter")
        name.given.append("James")
        name.given.swapAt(0, 1)
        #expect(name.given == ["James", "Peter"])
        name.given[0] = "Jim"
        name.given.removeLast()
        #expect(name.given == ["Jim"])
        name.given = []
        #expect(name.isEmpty)
        let patient = Patient()
        patient.name.append(HumanName { $0.given = ["Joe"] })
        patient.name[0].given[0] = "Joseph"
        patient.name[0].family = "Balogna"
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","name":[{"family":"Balogna","given":["Joseph"]}]}"#)
        patient.name.removeAll()
        #expect(patient.isEmpty)
        let timing = TimingRepeat { $0.timeOfDay = ["12:00:00", "13:30:00"] }
        #expect(timing.timeOfDay == ["12:00:00", "13:30:00"])
        timing.dayOfWeek = [.mon, "someday"]
        #expect(timing.dayOfWeek.map(\.isKnown) == [true, false])
    }
}

import FireLiteCore
import FireLiteR4
import Foundation
import Testing

// example FireLiteCore.md
func heartRate(of patient: Patient, at moment: Date) -> Observation {
    Observation {
        $0.status = .final
        $0.code = CodeableConcept(.loinc("8867-4", display: "Heart rate"), text: "Pulse")
        $0.subject = Reference(to: patient)
        $0.effectiveDateTime = FHIRDateTime(moment, in: .current)
        $0.valueQuantity = Quantity(72, "/min")
    }
}

func title(_ patient: Patient, _ observation: Observation) -> String {
    [patient.name.first?.displayText, observation.code?.displayText, observation.valueQuantity?.displayText]
        .compactMap { $0 }.joined(separator: ", ")
}
// end

// example FireLiteCore.md
func setBirthDate(of patient: Patient, to picked: DateComponents) {
    patient.birthDate = FHIRDate(DateComponents(year: picked.year, month: picked.month, day: picked.day))
}

func birthday(of patient: Patient) -> DateComponents? {
    patient.birthDate?.dateComponents
}

func setName(of patient: Patient, to components: PersonNameComponents) {
    patient.name = [HumanName(components)]
}

func name(of patient: Patient) -> PersonNameComponents? {
    patient.name.first?.personNameComponents
}

func setTime(of observation: Observation, to moment: Date, in zone: TimeZone) {
    observation.effectiveDateTime = FHIRDateTime(moment, in: zone)
}

func time(of observation: Observation) -> Date? {
    observation.effectiveDateTime?.date
}
// end

@Suite struct ShorthandExamples {
    @Test func anObservationHasATitle() {
        let patient = Patient {
            $0.id = "1"
            $0.name = [HumanName { $0.family = "Miller" }]
        }
        let observation = heartRate(of: patient, at: Date(timeIntervalSince1970: 0))
        #expect(observation.subject?.reference == "Patient/1" && observation.code?.coding.first?.code == "8867-4")
        #expect(title(patient, observation).hasSuffix("72 /min"))
    }

    @Test func foundationsTypesComeBack() throws {
        let patient = Patient()
        setBirthDate(of: patient, to: DateComponents(year: 1970, month: 3, day: 30, hour: 9))
        #expect(patient.birthDate?.literal == "1970-03-30")
        #expect(birthday(of: patient) == DateComponents(year: 1970, month: 3, day: 30))
        patient.birthDate = "1970"
        #expect(birthday(of: patient)?.year == 1970 && birthday(of: patient)?.month == nil)

        var components = PersonNameComponents()
        components.givenName = "Ada"
        components.middleName = "Mary"
        components.familyName = "Miller"
        setName(of: patient, to: components)
        #expect(patient.name.first?.given == ["Ada", "Mary"] && patient.name.first?.family == "Miller")
        #expect(name(of: patient)?.middleName == "Mary" && name(of: patient)?.namePrefix == nil)

        let observation = Observation()
        let moment = Date(timeIntervalSince1970: 1_714_552_200)
        setTime(of: observation, to: moment, in: try #require(TimeZone(secondsFromGMT: 7_200)))
        #expect(observation.effectiveDateTime?.dateComponents.hour == 10 && time(of: observation) == moment)
    }
}

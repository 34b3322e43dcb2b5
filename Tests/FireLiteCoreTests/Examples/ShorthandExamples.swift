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
}

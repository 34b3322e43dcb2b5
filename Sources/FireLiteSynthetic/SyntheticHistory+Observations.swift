import FireLiteCore
import FireLiteR4

extension SyntheticHistory {
    /// A kind of observation.
    enum Category {
        case vitalSigns, laboratory, socialHistory

        var code: SyntheticCode {
            switch self {
            case .vitalSigns: .hl7("observation-category", "vital-signs", "Vital Signs")
            case .laboratory: .hl7("observation-category", "laboratory", "Laboratory")
            case .socialHistory: .hl7("observation-category", "social-history", "Social History")
            }
        }
    }

    mutating func observation(
        _ measurement: SyntheticVocabulary.Measurement, category: Category, start: SyntheticTime, visit: Encounter
    ) -> Observation {
        let value = max(0, random.around(measurement.middle, measurement.spread))
        let observation = observation(measurement.code, category: category, start: start, visit: visit)
        observation.valueQuantity = SyntheticParts.quantity(value, measurement)
        return observation
    }

    mutating func bloodPressure(_ start: SyntheticTime, _ visit: Encounter) -> Observation {
        let observation = observation(SyntheticVocabulary.bloodPressure, category: .vitalSigns, start: start, visit: visit)
        observation.component = [SyntheticVocabulary.systolic, SyntheticVocabulary.diastolic].map { measurement in
            let value = random.around(measurement.middle, measurement.spread)
            return ObservationComponent {
                $0.code = measurement.code.concept
                $0.valueQuantity = SyntheticParts.quantity(value, measurement)
            }
        }
        return observation
    }

    mutating func smokingStatus(_ start: SyntheticTime, _ visit: Encounter) -> Observation {
        let observation = observation(SyntheticVocabulary.smokingStatus, category: .socialHistory, start: start, visit: visit)
        observation.valueCodeableConcept = random.pick(SyntheticVocabulary.smokingStatuses).concept
        return observation
    }

    /// Creates laboratory values and the report that lists them.
    mutating func recordLaboratory(_ start: SyntheticTime, _ visit: Encounter) {
        let results = SyntheticVocabulary.laboratory.map { observation($0, category: .laboratory, start: start, visit: visit) }
        let id = random.id("DiagnosticReport")
        let report = DiagnosticReport {
            $0.id = id
            $0.meta = SyntheticParts.meta("DiagnosticReport-lab")
            $0.status = .final
            $0.category = [SyntheticCode.hl7("v2-0074", "LAB", "Laboratory").plainConcept]
            $0.code = SyntheticVocabulary.metabolicPanel.concept
            $0.subject = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.effectiveDateTime = start.fhirDateTime
            $0.issued = start.fhirInstant
            $0.performer = [SyntheticParts.reference(to: practice.organization, display: practice.organization.name)]
            $0.result = results.map { SyntheticParts.reference(to: $0, display: $0.code?.text) }
        }
        add(results + [report])
    }

    private mutating func observation(
        _ code: SyntheticCode, category: Category, start: SyntheticTime, visit: Encounter
    ) -> Observation {
        let id = random.id("Observation")
        return Observation {
            $0.id = id
            $0.meta = SyntheticParts.meta("Observation")
            $0.status = .final
            $0.category = [category.code.plainConcept]
            $0.code = code.concept
            $0.subject = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.effectiveDateTime = start.fhirDateTime
            $0.issued = start.fhirInstant
        }
    }
}

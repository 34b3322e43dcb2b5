import FireLiteCore
import FireLiteR4

/// A code with its system and display text.
struct SyntheticCode {
    let system: String
    let code: String
    let display: String

    static func snomed(_ code: String, _ display: String) -> SyntheticCode {
        .init(system: "http://snomed.info/sct", code: code, display: display)
    }

    static func loinc(_ code: String, _ display: String) -> SyntheticCode {
        .init(system: "http://loinc.org", code: code, display: display)
    }

    static func rxNorm(_ code: String, _ display: String) -> SyntheticCode {
        .init(system: "http://www.nlm.nih.gov/research/umls/rxnorm", code: code, display: display)
    }

    static func vaccine(_ code: String, _ display: String) -> SyntheticCode {
        .init(system: "http://hl7.org/fhir/sid/cvx", code: code, display: display)
    }

    /// A code of HL7's own terminology.
    static func hl7(_ name: String, _ code: String, _ display: String) -> SyntheticCode {
        .init(system: "http://terminology.hl7.org/CodeSystem/\(name)", code: code, display: display)
    }

    var coding: Coding {
        Coding {
            $0.system = system
            $0.code = code
            $0.display = display
        }
    }

    var concept: CodeableConcept {
        CodeableConcept {
            $0.coding = [coding]
            $0.text = display
        }
    }

    /// The concept, without text.
    var plainConcept: CodeableConcept { CodeableConcept { $0.coding = [coding] } }
}

import FireLite
import FireLiteR4

/// What `MedicationRequest`, a prescription, and `MedicationStatement`, what somebody says they take, have in common.
///
/// FHIR gives them no common type. A protocol of one's own does, and its elements can be queried: see `Diary.entries(_:)`.
protocol MedicationRecord: FHIRResource {
    associatedtype Status: FHIRCode

    var status: Status? { get set }
    var medicationCodeableConcept: CodeableConcept? { get }
    var medicationReference: Reference? { get }
    var dosage: [Dosage] { get set }
    var subject: Reference? { get }

    /// Whether the medication is being taken.
    static func isCurrent(_ record: ElementPath<Self>) -> QueryCondition
}

extension MedicationStatement: MedicationRecord {
    static func isCurrent(_ record: ElementPath<MedicationStatement>) -> QueryCondition { record.status == .active }
}

extension MedicationRequest: MedicationRecord {
    var dosage: [Dosage] {
        get { dosageInstruction }
        set { dosageInstruction = newValue }
    }

    static func isCurrent(_ record: ElementPath<MedicationRequest>) -> QueryCondition {
        record.status == .active && record.doNotPerform != true
    }
}

extension MedicationRecord {
    /// The texts that a search looks at.
    static func texts(_ record: ElementPath<Self>) -> [any QueryValuePath<String>] {
        [record.medicationCodeableConcept.text, record.medicationCodeableConcept.coding.display, record.dosage.text]
    }

    /// The medication, from the record or from the `Medication` that it refers to, which may be contained in it.
    func medication(in store: FHIRStore) throws -> CodeableConcept? {
        if let medicationCodeableConcept { return medicationCodeableConcept }
        return (try medicationReference?.resolve(in: store) as? Medication)?.code
    }
}

import FireLite
import FireLiteR4

/// A medication as a screen shows it: values copied from a record.
public struct DiaryEntry: Sendable, Hashable, Identifiable {
    /// The record's pk, by which `Diary` finds it again.
    public let id: String
    public let name: String
    /// The first dosage instruction, if any.
    public let dosage: String?
    /// FHIR's code: `active`, `on-hold`, `stopped` …
    public let status: String
    /// The time of the last dose in the diary, if any. FHIR's dates and times are values, too.
    public let lastTaken: FHIRDateTime?

    init(_ record: some MedicationRecord, in transaction: ReadTransaction) throws {
        let medication = try record.medication(in: transaction.store)
        id = record.pk
        name = medication?.displayText ?? record.medicationReference?.display ?? "unnamed medication"
        dosage = record.dosage.first?.text
        status = record.status?.rawValue ?? "unknown"
        lastTaken = try transaction.query(MedicationAdministration.self)
            .where { $0.status == .completed && $0.isDose(of: record) }
            .sort { $0.effectiveDateTime.descending }.first()?.effectiveDateTime
    }
}

extension ElementPath<MedicationAdministration> {
    /// Whether the dose was recorded for this prescription or statement, by `Diary.take(_:at:)`.
    func isDose(of record: FHIRResource) -> QueryCondition {
        self.request.refers(to: record) || self.supportingInformation.refers(to: record)
    }
}

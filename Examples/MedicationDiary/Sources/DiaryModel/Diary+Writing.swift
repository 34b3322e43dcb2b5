import FireLite
import FireLiteR4
import Foundation

extension Diary {
    /// Records that a dose was taken: a new `MedicationAdministration`. Returns the medication with its new time.
    ///
    /// - Parameters:
    ///   - time: Default: now.
    ///   - calendar: its time zone is recorded with the time.
    /// - Throws: `DiaryError.noSuchMedication`, `FHIRStoreError`.
    @discardableResult
    public func take(_ id: DiaryEntry.ID, at time: Date = Date(), calendar: Calendar = .current) async throws -> DiaryEntry {
        try await store.write { tx in
            let record = try Self.record(id, in: tx)
            let medication = try record.medication(in: tx.store)
            let dose = MedicationAdministration {
                $0.status = .completed
                $0.medication = medication.map { .codeableConcept($0.copy()) } ?? record.medicationReference.map { .reference($0.copy()) }
                $0.subject = record.subject?.copy()
                $0.effectiveDateTime = FHIRDateTime(time, in: calendar.timeZone)
                if record is MedicationRequest {
                    $0.request = Reference(to: record)
                } else {
                    $0.supportingInformation = [Reference(to: record)]
                }
            }
            try tx.add(dose)
            return try DiaryEntry(record, in: tx)
        }
    }

    /// Notes a medication that nobody prescribed: a new `MedicationStatement`, from today on.
    ///
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func note(
        _ name: String, dosage: String? = nil, at time: Date = Date(), calendar: Calendar = .current
    ) async throws -> DiaryEntry {
        try await store.write { tx in
            let patient = try tx.query(Patient.self).first()
            let statement = MedicationStatement {
                $0.status = .active
                $0.medicationCodeableConcept = CodeableConcept(text: name)
                $0.subject = patient.map { Reference(to: $0) } ?? Reference { $0.display = "the diary's owner" }
                $0.effectivePeriod = Period { $0.start = FHIRDateTime(time, in: calendar.timeZone) }
                $0.dateAsserted = $0.effectivePeriod?.start
                if let dosage { $0.dosage = [Dosage { $0.text = dosage }] }
            }
            try tx.add(statement)
            return try DiaryEntry(statement, in: tx)
        }
    }

    /// Changes the dosage, the status or both, and returns the changed medication. Nil leaves one as it is.
    ///
    /// - Throws: `DiaryError`, `FHIRStoreError`; nothing is changed then.
    @discardableResult
    public func edit(_ id: DiaryEntry.ID, dosage: String? = nil, status: String? = nil) async throws -> DiaryEntry {
        try await store.write { tx in
            let record = try Self.record(id, in: tx)
            // The new text replaces the whole instruction, as a structured one beside it would contradict it.
            if let dosage { record.dosage = [Dosage { $0.text = dosage }] }
            if let status { try Self.set(status, of: record) }
            return try DiaryEntry(record, in: tx)
        }
    }

    private static func set<Record: MedicationRecord>(_ status: String, of record: Record) throws {
        let code = Record.Status(rawValue: status)
        guard code.isKnown else { throw DiaryError.unknownStatus(known: Record.Status.known.map(\.rawValue)) }
        record.status = code
    }

    private static func record(_ id: DiaryEntry.ID, in transaction: ReadTransaction) throws -> any MedicationRecord {
        guard let record = try transaction.resource(pk: id) as? any MedicationRecord else { throw DiaryError.noSuchMedication }
        return record
    }
}

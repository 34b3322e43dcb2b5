import FireLite
import FireLiteR4
import Foundation

extension Diary {
    /// Which medications to read.
    public enum Selection: Sendable, Hashable {
        /// Those being taken.
        case current
        case all
        /// Those with every one of the words in their name or dosage. A word may be the beginning of one; case and accents do not matter.
        case matching(String)
    }

    /// Medications, by name.
    ///
    /// - Throws: `FHIRStoreError`, `CancellationError`.
    public func entries(_ selection: Selection = .current) async throws -> [DiaryEntry] {
        try await store.read { try Self.entries(selection, in: $0) }
    }

    /// The same in a read, for what follows the store.
    public static func entries(_ selection: Selection, in transaction: ReadTransaction) throws -> [DiaryEntry] {
        let prescribed = try entries(of: MedicationRequest.self, selection, in: transaction)
        let stated = try entries(of: MedicationStatement.self, selection, in: transaction)
        return (prescribed + stated).sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }

    private static func entries<Record: MedicationRecord>(
        of type: Record.Type, _ selection: Selection, in transaction: ReadTransaction
    ) throws -> [DiaryEntry] {
        var query = transaction.query(type)
        switch selection {
        case .all: break
        case .current: query = query.where { Record.isCurrent($0) }
        case .matching(let text):
            let words = text.split(separator: " ").map { "\($0)*" }.joined(separator: " ")
            query = query.where {
                $0.matching(words) || $0.medicationReference.target(Medication.self).any { $0.matching(words) }
            }
        }
        return try query.all().map { try DiaryEntry($0, in: transaction) }
    }

    /// The doses of the last days, one value a day with today as the last; zero if none was taken.
    ///
    /// - Parameters:
    ///   - medication: only doses of this one. Default: nil, for all.
    ///   - now: a moment of today.
    /// - Throws: `DiaryError.noSuchMedication`, `FHIRStoreError`, `CancellationError`.
    public func doses(
        days: Int, of medication: DiaryEntry.ID? = nil, until now: Date = Date(), calendar: Calendar = .current
    ) async throws -> [DailyDoses] {
        try await store.read { try Self.doses(days: days, of: medication, until: now, calendar: calendar, in: $0) }
    }

    /// The same in a read, for what follows the store.
    public static func doses(
        days: Int, of medication: DiaryEntry.ID? = nil, until now: Date = Date(), calendar: Calendar = .current,
        in transaction: ReadTransaction
    ) throws -> [DailyDoses] {
        let today = calendar.startOfDay(for: now)
        let lastDays = (0..<days).reversed().compactMap { calendar.date(byAdding: .day, value: -$0, to: today) }
        // A dose belongs to the day on which it was taken where it was taken, so those of other time zones need a day of room.
        let range = (lastDays.first ?? today).addingTimeInterval(-86_400)...today.addingTimeInterval(2 * 86_400)
        var query = transaction.query(MedicationAdministration.self)
            .where { $0.status == .completed && ($0.effectiveDateTime.in(range) || $0.effectivePeriod.start.in(range)) }
        if let medication {
            guard let record = try transaction.resource(pk: medication) else { throw DiaryError.noSuchMedication }
            query = query.where { $0.isDose(of: record) }
        }
        // A time may be as vague as a month, which is no day.
        let times = try query.values { ($0.effectiveDateTime, $0.effectivePeriod.start) }.compactMap { $0 ?? $1 }.filter { $0.day != nil }
        let counts = Dictionary(grouping: times) { calendar.date(from: DateComponents(year: $0.year, month: $0.month, day: $0.day)) }
        return lastDays.map { DailyDoses(day: $0, count: counts[$0]?.count ?? 0) }
    }
}

import FireLite
import Foundation

/// Rows of `_samples` that a write adds, several with a statement.
struct SampleRows {
    private static let group = 16
    private static let width = 8
    private static let beginning = "INSERT OR REPLACE INTO _samples(number, uuid, type, start, finish, value, origin, digest) VALUES "
    private static let one = beginning + "(?, ?, ?, ?, ?, ?, ?, ?)"
    private static let several = one + String(repeating: ", (?, ?, ?, ?, ?, ?, ?, ?)", count: group - 1)

    /// So many UUIDs are looked up with a statement.
    private static let known = "SELECT uuid FROM _samples WHERE uuid IN (?" + String(repeating: ", ?", count: group - 1) + ")"

    /// What is noted of the rows.
    private var census: SampleCensus
    private let noted: SampleCensus
    private var values: [SQLValue] = []
    private var uuids: [UUID] = []
    /// New rows of samples whose Observations were stored before: of lost rows, or of Observations that came from elsewhere.
    private var returned: [UUID] = []

    init(_ tx: WriteTransaction) throws {
        census = try tx.countingSamples()
        noted = census
        values.reserveCapacity(Self.group * Self.width)
    }

    /// Adds or replaces the row of a sample.
    mutating func add(
        _ sample: Sample, value: SQLValue, type: Int64, origin: Int64, digest: Int64, _ tx: WriteTransaction
    ) throws {
        values.append(.integer(try census.takeNumber(tx)))
        values.append(SampleLedger.blob(sample.uuid))
        uuids.append(sample.uuid)
        values.append(.integer(type))
        values.append(.integer(sample.startTime))
        values.append(.integer(sample.endTime))
        values.append(value)
        values.append(.integer(origin))
        values.append(.integer(digest))
        if values.count == Self.group * Self.width {
            try count(tx)
            try tx.runSamples(Self.several, values)
            values.removeAll(keepingCapacity: true)
        }
    }

    /// Marks the row of a sample as deleted. It stays, for those who read by number.
    mutating func delete(_ uuid: UUID, _ tx: WriteTransaction) throws {
        try tx.markSampleDeleted(uuid, number: census.takeNumber(tx))
    }

    /// Counts the rows that are new, before they are written.
    private mutating func count(_ tx: WriteTransaction) throws {
        guard let last = uuids.last else { return }
        // The last one fills up a short group.
        let asked = (0..<Self.group).map { SampleLedger.blob($0 < uuids.count ? uuids[$0] : last) }
        var known = Set(try tx.sampleRows(Self.known, asked).compactMap { SampleLedger.uuid($0[0]) })
        let new = uuids.filter { known.insert($0).inserted }
        for uuid in new { census.rows?.add(uuid) }
        if !new.isEmpty {
            for (uuid, root) in zip(new, try tx.registered("Observation", ids: new.map(\.lowercased))) where root != nil {
                returned.append(uuid)
            }
        }
        uuids.removeAll(keepingCapacity: true)
    }

    /// Writes what waits, and notes the rows.
    mutating func flush(_ tx: WriteTransaction) throws {
        try count(tx)
        for place in stride(from: 0, to: values.count, by: Self.width) {
            try tx.runSamples(Self.one, Array(values[place..<place + Self.width]))
        }
        values.removeAll()
        if !returned.isEmpty, let rows = census.rows, try tx.countedSamples() != rows {
            // Rows that were lost are written again: they are counted already.
            for uuid in returned { census.rows?.remove(uuid) }
        }
        if census != noted { try tx.note(census) }
    }
}

extension WriteTransaction {
    /// Marks the row of a sample as deleted, under a new number.
    func markSampleDeleted(_ uuid: UUID, number: Int64) throws {
        try runSamples(
            """
            UPDATE _samples SET number = ?, start = NULL, finish = NULL, value = NULL, origin = NULL, digest = NULL, series = NULL
            WHERE uuid = ?
            """, [.integer(number), SampleLedger.blob(uuid)])
    }
}

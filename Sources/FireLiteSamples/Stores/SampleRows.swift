import FireLite
import Foundation

/// Rows of `_samples` that a write adds, several with a statement.
struct SampleRows {
    private static let group = 16
    private static let width = 8
    private static let beginning = "INSERT OR REPLACE INTO _samples(number, uuid, type, start, finish, value, origin, digest) VALUES "
    private static let one = beginning + "(?, ?, ?, ?, ?, ?, ?, ?)"
    private static let several = one + String(repeating: ", (?, ?, ?, ?, ?, ?, ?, ?)", count: group - 1)

    /// The number of the next row, above all others.
    private var next: Int64
    private var values: [SQLValue] = []

    init(_ tx: WriteTransaction) throws {
        next = try tx.nextSampleNumber()
        values.reserveCapacity(Self.group * Self.width)
    }

    /// Adds or replaces the row of a sample.
    mutating func add(
        _ sample: Sample, value: SQLValue, type: Int64, origin: Int64, digest: Int64, _ tx: WriteTransaction
    ) throws {
        values.append(.integer(next))
        values.append(SampleLedger.blob(sample.uuid))
        values.append(.integer(type))
        values.append(.integer(sample.startTime))
        values.append(.integer(sample.endTime))
        values.append(value)
        values.append(.integer(origin))
        values.append(.integer(digest))
        next += 1
        if values.count == Self.group * Self.width {
            try tx.runSamples(Self.several, values)
            values.removeAll(keepingCapacity: true)
        }
    }

    /// Marks the row of a sample as deleted. It stays, for those who read by number.
    mutating func delete(_ uuid: UUID, _ tx: WriteTransaction) throws {
        try tx.markSampleDeleted(uuid, number: next)
        next += 1
    }

    /// Writes what waits.
    mutating func flush(_ tx: WriteTransaction) throws {
        for place in stride(from: 0, to: values.count, by: Self.width) {
            try tx.runSamples(Self.one, Array(values[place..<place + Self.width]))
        }
        values.removeAll()
    }
}

extension WriteTransaction {
    func nextSampleNumber() throws -> Int64 { try (sampleRows("SELECT max(number) FROM _samples").first?[0].integer ?? 0) + 1 }

    /// Marks the row of a sample as deleted, under a new number.
    func markSampleDeleted(_ uuid: UUID, number: Int64) throws {
        try runSamples(
            """
            UPDATE _samples SET number = ?, start = NULL, finish = NULL, value = NULL, origin = NULL, digest = NULL, series = NULL
            WHERE uuid = ?
            """, [.integer(number), SampleLedger.blob(uuid)])
    }
}

import FireLite
import FireLiteCore
import Foundation

/// What the file notes of the rows of `_samples` in the transactions that change them: their number, the sum of a digest of their UUIDs, and the
/// highest number that was given. So `check` sees that rows are missing, and numbers that `StoredSamples` has read are not given again.
///
/// It is a row of `_samples_name` of the kind `census`, whose label has the highest number and, behind it, the number of rows and the sum. The row
/// `samples.census` of `_meta` has a copy, which counts if that row is lost with the others. Files that earlier versions wrote have no such row, or one
/// with a lower number: the next write of samples counts the rows.
struct SampleCensus: Equatable {
    /// The rows, as they add up.
    struct Rows: Equatable {
        private(set) var count: Int64 = 0
        private(set) var sum: UInt64 = 0

        init() {}

        init(count: Int64, sum: UInt64) { (self.count, self.sum) = (count, sum) }

        mutating func add(_ uuid: UUID) {
            count += 1
            sum &+= Self.digest(uuid)
        }

        mutating func remove(_ uuid: UUID) {
            count -= 1
            sum &-= Self.digest(uuid)
        }

        /// 64 bits of a UUID, whose bits are spread, so that times in front of UUIDs do not cancel each other out.
        private static func digest(_ uuid: UUID) -> UInt64 {
            func spread(_ value: UInt64) -> UInt64 {
                let first = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
                let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
                return second ^ second >> 31
            }
            return withUnsafeBytes(of: uuid.uuid) { bytes in
                spread(bytes.loadUnaligned(as: UInt64.self).bigEndian)
                    ^ spread(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian &+ 0x9E37_79B9_7F4A_7C15)
            }
        }
    }

    /// The highest number that was given.
    var last: Int64
    /// What the rows add up to; nil if it is not known.
    var rows: Rows?

    init(last: Int64, rows: Rows?) { (self.last, self.rows) = (last, rows) }

    /// - Parameter label: that of the row.
    init(label: String) {
        let parts = label.split(separator: " ")
        last = parts.first.flatMap { Int64($0) } ?? 0
        if parts.count == 3, let count = Int64(parts[1]), let sum = UInt64(parts[2]) { rows = Rows(count: count, sum: sum) }
    }

    /// Gives the number of the next row.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if the file has a number that none follows.
    mutating func takeNumber(_ tx: ReadTransaction) throws -> Int64 {
        last = try tx.incremented(last, in: "_samples")
        return last
    }

    var label: String { "\(last)" + (rows.map { " \($0.count) \($0.sum)" } ?? "") }
}

extension ReadTransaction {
    /// What the file notes; nil if it notes nothing.
    func notedSamples() throws -> SampleCensus? {
        let row =
            try sampleRows("SELECT label FROM _samples_name WHERE kind = 'census' AND name = ''").first
            ?? sampleRows("SELECT value FROM _meta WHERE key = 'samples.census'").first
        return row?[0].text.map { SampleCensus(label: $0) }
    }

    /// The highest number of a row.
    private func highestSampleNumber() throws -> Int64 { try sampleRows("SELECT max(number) FROM _samples").first?[0].integer ?? 0 }

    /// What the rows add up to now.
    func countedSamples() throws -> SampleCensus.Rows {
        var counted = SampleCensus.Rows()
        var keys = RisingKeys("_samples")
        while true {
            let rows = try sampleRows(
                "SELECT number, uuid FROM _samples WHERE number > ? ORDER BY number LIMIT 1000", [.integer(keys.last)])
            guard let end = rows.last?[0].integer else { return counted }
            try checkCancellation()
            try keys.advance(to: end)
            for row in rows { if let uuid = SampleLedger.uuid(row[1]) { counted.add(uuid) } }
        }
    }

    /// The note with the rows that it is about; nil for the rows if an earlier version has changed them since.
    func sampleCensus() throws -> SampleCensus {
        let highest = try highestSampleNumber()
        guard var noted = try notedSamples() else { return SampleCensus(last: highest, rows: nil) }
        if highest > noted.last { noted = SampleCensus(last: highest, rows: nil) }
        return noted
    }

    /// How the rows differ from what is noted of them; nil if they do not, or if nothing is noted.
    func missingSamples() throws -> String? {
        guard let noted = try sampleCensus().rows else { return nil }
        let counted = try countedSamples()
        guard counted != noted else { return nil }
        let missing = Int(noted.count - counted.count)
        return missing > 0
            ? String(counting: missing, "row of _samples is missing", "rows of _samples are missing")
            : "the rows of _samples are not those that were written"
    }
}

extension WriteTransaction {
    /// What is noted of the rows; they are counted if nothing is.
    func countingSamples() throws -> SampleCensus {
        var census = try sampleCensus()
        if census.rows == nil { census.rows = try countedSamples() }
        return census
    }

    func note(_ census: SampleCensus) throws {
        let values: [SQLValue] = [.text(census.label)]
        try runSamples("INSERT OR REPLACE INTO _meta(key, value) VALUES ('samples.census', ?)", values)
        if try runSamples("UPDATE _samples_name SET label = ? WHERE kind = 'census' AND name = ''", values) > 0 { return }
        try runSamples("INSERT INTO _samples_name(kind, name, label) VALUES ('census', '', ?)", values)
    }

    /// A number for a row that gets a new one.
    func takeSampleNumber() throws -> Int64 {
        var census = try countingSamples()
        let number = try census.takeNumber(self)
        try note(census)
        return number
    }
}

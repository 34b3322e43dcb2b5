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
    fileprivate func sampleCensus() throws -> SampleCensus {
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

    /// The number of the next row, above all others that were given.
    func nextSampleNumber() throws -> Int64 { try incremented(sampleCensus().last, in: "_samples") }
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

    // MARK: - Missing rows

    /// Writes missing rows again from their Observations, if these are exactly the missing ones, and notes the rows that there are then.
    ///
    /// - Returns: how many rows were written.
    func restoreSamples() throws -> Int {
        var census = try sampleCensus()
        guard let noted = census.rows else { return 0 }
        let counted = try countedSamples()
        guard counted != noted else { return 0 }
        var restored: [LostSample] = []
        if counted.count < noted.count {
            let lost = try lostSamples()
            func completes(_ samples: [LostSample]) -> Bool {
                var rows = counted
                for sample in samples { rows.add(sample.uuid) }
                return rows == noted
            }
            restored = completes(lost) ? lost : lost.first { completes([$0]) }.map { [$0] } ?? []
        }
        for sample in restored {
            let number = try census.takeNumber(self)
            let type = try numberOfSampleName("type", sample.now.type, label: SampleType(rawValue: sample.now.type).shortName)
            let origin = try originNumber(sample.device)
            let value: SQLValue = if let value = sample.now.value { .real(value) } else { .null }
            let series: SQLValue = if let number = sample.series { .integer(number) } else { .null }
            let times: [SQLValue] = [.integer(sample.now.start), .integer(sample.now.end)]
            let values: [SQLValue] = [.integer(number), SampleLedger.blob(sample.uuid), .integer(type)] + times
            // The digest is that of no sample, so the source's own is written when it is read again.
            try runSamples(
                """
                INSERT INTO _samples(number, uuid, type, start, finish, value, origin, digest, series) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)
                """, values + [value, .integer(origin), series])
        }
        census.rows = try countedSamples()
        try note(census)
        return restored.count
    }

    /// Writes missing rows of series again: each belongs to the Observation that has samples of it.
    ///
    /// - Returns: how many samples had no row of their series.
    func restoreSeries() throws -> Int {
        var lost: [Int64: Int] = [:]
        let rows = try sampleRows(
            """
            SELECT series, count(*) FROM _samples WHERE series IS NOT NULL AND series NOT IN (SELECT number FROM _samples_series) GROUP BY series
            """)
        for row in rows { if let number = row[0].integer, let count = row[1].integer { lost[number] = Int(count) } }
        guard !lost.isEmpty else { return 0 }
        var restored = 0
        var found: [(number: Int64, observation: UUID, type: Int64)] = []
        try forEach(typeName: "Observation") { resource in
            guard !lost.isEmpty, let id = resource.id, let uuid = UUID(uuidString: id), uuid.lowercased == id else { return }
            guard try sampleSeries(uuid) == nil else { return }
            for own in try samplesNow(resource).keys {
                let row = try sampleRows("SELECT series, type FROM _samples WHERE uuid = ?", [SampleLedger.blob(own)]).first
                guard let number = row?[0].integer, let type = row?[1].integer, let count = lost.removeValue(forKey: number)
                else { continue }
                restored += count
                found.append((number, uuid, type))
                return
            }
        }
        for series in found {
            // The times of its window are lost, too: these exclude none.
            try runSamples(
                "INSERT INTO _samples_series(number, observation, type, start, finish) VALUES (?, ?, ?, ?, ?)",
                [.integer(series.number), SampleLedger.blob(series.observation), .integer(series.type), .integer(.min), .integer(.max)])
        }
        return restored
    }

    private struct LostSample {
        let uuid: UUID
        let now: SampleNow
        let device: String?
        let series: Int64?
    }

    /// The samples of Observations that have no row: those whose Observation has the sample's UUID as its id, and those of known series.
    private func lostSamples() throws -> [LostSample] {
        var lost: [LostSample] = []
        try forEach(typeName: "Observation") { resource in
            guard let id = resource.id, let uuid = UUID(uuidString: id), uuid.lowercased == id else { return }
            let device = try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }["device"]?["reference"]?.text
            if let series = try sampleSeries(uuid) {
                for (own, now) in try samplesNow(resource).sorted(by: { $0.value.start < $1.value.start }) where try !hasSample(own) {
                    lost.append(LostSample(uuid: own, now: now, device: device, series: series))
                }
            } else if try !hasSample(uuid), let now = try sampleNow(resource),
                try ObservationReader.sample(resource, origin: SampleOrigin())?.uuid == uuid
            {
                lost.append(LostSample(uuid: uuid, now: now, device: device, series: nil))
            }
        }
        return lost
    }

    private func hasSample(_ uuid: UUID) throws -> Bool {
        try !sampleRows("SELECT 1 FROM _samples WHERE uuid = ?", [SampleLedger.blob(uuid)]).isEmpty
    }

    /// The number of the origin that a Device is made of; 0, which is that of none, if it is not known.
    private func originNumber(_ device: String?) throws -> Int64 {
        for row in try sampleRows("SELECT number FROM _samples_name WHERE kind = 'origin'") {
            guard let number = row[0].integer else { continue }
            let origin = try sampleOrigin(number)
            if origin.isEmpty ? device == nil : device == "Device/" + origin.deviceID { return number }
        }
        return 0
    }
}

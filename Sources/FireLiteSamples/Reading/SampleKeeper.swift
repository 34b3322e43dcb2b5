import FireLite
import FireLiteCore
import Foundation

/// Keeps what is known of samples up to date with Observations that something else than an engine changes.
///
/// The writes of engines leave it out: they note their samples themselves.
final class SampleKeeper: WriteParticipant {
    private static let remedy = "run `firelite samples refresh`, or call refreshSamples"

    var writtenTypes: Set<String>? { ["Observation"] }

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        var findings = try transaction.numberFindings(of: SampleTables.module, "_samples", ["number"])
        if let missing = try transaction.missingSamples() {
            findings.append(StoreFinding(.mismatch, table: "_samples", typeName: "Observation", "\(missing): \(Self.remedy)"))
        }
        let count = try transaction.differingSamples()
        guard count > 0 else { return findings }
        let samples = String(
            counting: count, "sample in _samples is not that of its Observation", "samples in _samples are not those of their Observations")
        findings.append(StoreFinding(.mismatch, table: "_samples", typeName: "Observation", "\(samples): \(Self.remedy)"))
        return findings
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        guard try transaction.hasTables(of: SampleTables.module) else { return }
        for resource in resources where resource.typeName == "Observation" {
            if let id = resource.oldID, id != resource.id { try transaction.refreshSample(id: id) }
            if let id = resource.id { try transaction.refreshSample(id: id) }
        }
    }
}

extension WriteTransaction {
    /// Brings the rows of an Observation's samples up to date.
    ///
    /// - Parameters:
    ///   - id: the Observation's.
    ///   - isChanged: whether something of it has changed for sure, so that those who read by number must hear of it.
    /// - Returns: how many have changed in what statistics need.
    @discardableResult
    func refreshSample(id: String, isChanged: Bool = true) throws -> Int {
        guard let uuid = UUID(uuidString: id), uuid.lowercased == id else { return 0 }
        let row = try sampleRows(
            "SELECT uuid, type, start, finish, value, origin FROM _samples WHERE uuid = ? AND series IS NULL", [SampleLedger.blob(uuid)]
        ).first
        if let row {
            return try refresh(row, with: resource(typeName: "Observation", id: id).flatMap { try sampleNow($0) }, isChanged: isChanged)
        }
        guard let series = try sampleSeries(uuid) else { return 0 }
        let now = try resource(typeName: "Observation", id: id).map { try samplesNow($0) } ?? [:]
        var changed = 0
        let rows = try sampleRows(
            """
            SELECT s.uuid, s.type, s.start, s.finish, s.value, s.origin FROM _samples_series r
            JOIN _samples s ON s.type = r.type AND s.start >= r.start AND s.start < r.finish AND s.series = r.number WHERE r.number = ?
            """, [.integer(series)])
        for row in rows { changed += try refresh(row, with: SampleLedger.uuid(row[0]).flatMap { now[$0] }, isChanged: isChanged) }
        return changed
    }

    /// Brings all samples up to date that have a number up to `last`.
    ///
    /// - Parameter compared: called with the number of samples so far.
    /// - Returns: how many have changed.
    func refreshSamples(through last: Int64, _ compared: (Int) throws -> Void) throws -> Int {
        var (count, changed) = (0, 0)
        try forEachSample(through: last, includesDeleted: true) { row, now in
            changed += try refresh(row, with: now, isChanged: false)
            count += 1
            if count.isMultiple(of: 1000) { try compared(count) }
        }
        return changed
    }

    private func refresh(_ row: SQLRow, with now: SampleNow?, isChanged: Bool) throws -> Int {
        guard let uuid = SampleLedger.uuid(row[0]) else { return 0 }
        guard let now else {
            if row[2].isNull { return 0 }
            try markSampleDeleted(uuid, number: takeSampleNumber())
            return 1
        }
        let value = now.value(for: row)
        let type = try numberOfSampleName("type", now.type, label: SampleType(rawValue: now.type).shortName)
        guard row[1].integer != type || !now.matches(row) else {
            if isChanged { try runSamples("UPDATE _samples SET number = ? WHERE uuid = ?", [.integer(takeSampleNumber()), row[0]]) }
            return 0
        }
        try runSamples(
            "UPDATE _samples SET number = ?, type = ?, start = ?, finish = ?, value = ?, origin = coalesce(origin, 0) WHERE uuid = ?",
            [
                .integer(takeSampleNumber()), .integer(type), .integer(now.start), .integer(now.end),
                value.map { .real($0) } ?? .null, row[0],
            ])
        return 1
    }
}

/// What statistics need of a sample, as its Observation says it.
struct SampleNow {
    let type: String
    let start: Int64
    let end: Int64
    let value: Double?

    /// The number for a row of uuid, type, start, finish, value and origin: a quantity whose unit could not be converted has no part in statistics.
    func value(for row: SQLRow) -> Double? { row[4].isNull && !row[2].isNull ? nil : value }

    /// Whether such a row says the same, apart from the type.
    func matches(_ row: SQLRow) -> Bool {
        row[2].integer == start && row[3].integer == end && row[4].double == value(for: row)
    }
}

extension ReadTransaction {
    func sampleNow(_ resource: FHIRResource) throws -> SampleNow? {
        guard let sample = try ObservationReader.sample(resource, origin: SampleOrigin()) else { return nil }
        return SampleNow(
            type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: try ObservationReader.number(resource))
    }

    func samplesNow(_ resource: FHIRResource) throws -> [UUID: SampleNow] {
        var now: [UUID: SampleNow] = [:]
        do {
            for (sample, number) in try ObservationReader.seriesNumbers(resource, origin: SampleOrigin()) {
                now[sample.uuid] = SampleNow(
                    type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: number.doubleValue)
            }
        } catch is SampleError {
            // What cannot be read as samples any more is none.
            return [:]
        }
        return now
    }

    /// The number of samples whose rows say something else than their Observations.
    func differingSamples() throws -> Int {
        var count = 0
        try forEachSample(through: .max, includesDeleted: false) { row, now in
            let isSame = try now.map { try $0.matches(row) && sampleName("type", $0.type) == row[1].integer } ?? false
            if !isSame { count += 1 }
        }
        return count
    }

    /// Calls `body` with the row of each sample and what its Observation says, by number.
    ///
    /// - Parameters:
    ///   - last: the last number.
    ///   - includesDeleted: whether rows of deleted samples are among them.
    ///   - body: gets uuid, type, start, finish, value and origin in the row, and nil if no Observation has the sample.
    fileprivate func forEachSample(through last: Int64, includesDeleted: Bool, _ body: (SQLRow, SampleNow?) throws -> Void) throws {
        let columns = "s.uuid, s.type, s.start, s.finish, s.value, s.origin, s.number, r.observation"
        var keys = RisingKeys("_samples")
        // The Observation of a series is read once for its samples, which mostly follow each other.
        var series: (uuid: UUID, samples: [UUID: SampleNow])?
        while true {
            let rows = try sampleRows(
                """
                SELECT \(columns) FROM _samples s LEFT JOIN _samples_series r ON r.number = s.series WHERE s.number > ? AND s.number <= ?
                ORDER BY s.number LIMIT 1000
                """, [.integer(keys.last), .integer(last)])
            guard let end = rows.last?[6].integer else { return }
            try keys.advance(to: end)
            for row in rows where includesDeleted || !row[2].isNull {
                try checkCancellation()
                guard let uuid = SampleLedger.uuid(row[0]) else { continue }
                var now: SampleNow?
                if let observation = SampleLedger.uuid(row[7]) {
                    if series?.uuid != observation {
                        let resource = try resource(typeName: "Observation", id: observation.lowercased)
                        series = (observation, try resource.map { try samplesNow($0) } ?? [:])
                    }
                    now = series?.samples[uuid]
                } else {
                    now = try resource(typeName: "Observation", id: uuid.lowercased).flatMap { try sampleNow($0) }
                }
                try body(row, now)
            }
        }
    }
}

extension FHIRStore {
    /// Keeps samples and statistics up to date with Observations that the app changes or deletes through this store object, from now on.
    ///
    /// A ``LocalStore`` does this for its store. Call it after opening if the app changes Observations of samples without one.
    public func followSamples() { _ = participant(SampleKeeper.self) { SampleKeeper() } }

    /// Whether the file keeps samples.
    package var hasSamples: Bool { get throws { try read { try $0.hasTables(of: SampleTables.module) } } }

    /// Updates samples and statistics after Observations were changed elsewhere: by another process, another store object, or plain SQL.
    ///
    /// Rows of samples that are missing, as `check` reports them, are written again if the file has Observations for exactly these. Samples whose
    /// rows stay missing come back when their source is read again.
    ///
    /// - Parameter progress: called about every thousand samples with the number of those that were compared. An error that it throws ends the call,
    ///   which then changes nothing.
    /// - Returns: how many samples were not up to date.
    /// - Complexity: reads all Observations of samples, about 20 µs each.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func refreshSamples(progress: (@Sendable (_ samples: Int) throws -> Void)? = nil) async throws -> Int {
        try await write(besides: participant(SampleKeeper.self)) { tx in
            guard try tx.hasTables(of: SampleTables.module) else { return 0 }
            let restored = try tx.restoreSeries() + tx.restoreSamples()
            // Changed rows get numbers above these.
            let last = try tx.nextSampleNumber() - 1
            return try restored + tx.refreshSamples(through: last) { try progress?($0) }
        }
    }
}

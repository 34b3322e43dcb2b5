import FireLite
import FireLiteCore
import Foundation

/// Keeps what is known of samples up to date with Observations that something else than an engine changes.
///
/// The writes of engines leave it out: they note their samples themselves.
final class SampleKeeper: WriteParticipant {
    private static let remedy = "run `firelite samples refresh`, or call refreshSamples"

    var writtenTypes: Set<String>? { ["Observation"] }

    var checkedPart: String { "what is known of samples" }

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        var findings = try transaction.numberFindings(of: SampleTables.module, "_samples", ["number"])
        func add(_ table: String, _ text: String) {
            findings.append(StoreFinding(.mismatch, table: table, typeName: "Observation", "\(text): \(Self.remedy)"))
        }
        let missing = try transaction.missingSamples()
        if let missing { add("_samples", missing) }
        let names = try SampleNames(transaction)
        if !names.isRight { add("_samples_name", "the origins in _samples_name are not those that were written") }
        let count = try transaction.differingSamples(names)
        if count > 0 {
            add(
                "_samples",
                String(
                    counting: count, "sample in _samples is not that of its Observation",
                    "samples in _samples are not those of their Observations"))
        }
        let series = missing == nil ? try transaction.differingSeries(names) : 0
        if series > 0 {
            add(
                "_samples_series",
                String(
                    counting: series, "row of _samples_series is not that of its Observation",
                    "rows of _samples_series are not those of their Observations"))
        }
        return findings
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        guard try transaction.hasTables(of: SampleTables.module) else { return }
        var names: SampleNames?
        for resource in resources where resource.typeName == "Observation" {
            if let id = resource.oldID, id != resource.id { try transaction.refreshSample(id: id, &names) }
            if let id = resource.id { try transaction.refreshSample(id: id, &names) }
        }
    }
}

extension WriteTransaction {
    /// Brings the rows of an Observation's samples up to date after it was changed. Those who read by number hear of it.
    fileprivate func refreshSample(id: String, _ names: inout SampleNames?) throws {
        guard let uuid = UUID(uuidString: id), uuid.lowercased == id else { return }
        if let row = try sampleRow(uuid), row.series == nil {
            let now = try resource(typeName: "Observation", id: id).flatMap { try sampleNow($0) }
            return try refresh(row, with: now, &names)
        }
        guard let series = try sampleSeries(uuid) else { return }
        let now = try resource(typeName: "Observation", id: id).map { try samplesNow($0) } ?? [:]
        let rows = try sampleRows(
            """
            SELECT \(SampleRow.columns) FROM _samples_series r
            JOIN _samples s ON s.type = r.type AND s.start >= r.start AND s.start < r.finish AND s.series = r.number WHERE r.number = ?
            """, [.integer(series)])
        for row in rows.map(SampleRow.init) { try refresh(row, with: row.uuid.flatMap { now[$0] }, &names) }
    }

    private func refresh(_ row: SampleRow, with now: SampleNow?, _ names: inout SampleNames?) throws {
        guard let uuid = row.uuid else { return }
        if let now {
            let known = try names ?? SampleNames(self)
            names = known
            try write(now, uuid, to: row, number: takeSampleNumber(), series: row.series, known)
        } else if row.hasTimes {
            try markSampleDeleted(uuid, number: takeSampleNumber())
        }
    }

    /// Writes what an Observation says of a sample into its row, under a new number.
    func write(_ now: SampleNow, _ uuid: UUID, to row: SampleRow, number: Int64, series: Int64?, _ names: SampleNames) throws {
        let values: [SQLValue] = [
            .integer(number), SampleLedger.blob(uuid), .integer(try names.type(now.type, self)), .integer(now.start), .integer(now.end),
            now.value(for: row).map { .real($0) } ?? .null, .integer(try names.origin(now.device, row.origin, self)),
            .integer(row.digest ?? 0), series.map { .integer($0) } ?? .null,
        ]
        try runSamples(
            """
            UPDATE _samples SET number = ?, uuid = ?, type = ?, start = ?, finish = ?, value = ?, origin = ?, digest = ?, series = ?
            WHERE number = ?
            """, values + [.integer(row.number)])
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
    /// Afterwards each Observation of samples has the rows that it stands for, also one that came from elsewhere. Other rows are marked as deleted;
    /// those that no sample ever had are removed.
    ///
    /// - Parameter progress: called about every thousand samples with the number of those that were compared. An error that it throws ends the call,
    ///   which then changes nothing.
    /// - Returns: how many samples were not up to date.
    /// - Complexity: reads all Observations, about 20 µs each.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func refreshSamples(progress: (@Sendable (_ samples: Int) throws -> Void)? = nil) async throws -> Int {
        try await write(besides: participant(SampleKeeper.self)) { tx in
            guard try tx.hasTables(of: SampleTables.module) else { return 0 }
            var refresh = try SampleRefresh(tx)
            return try refresh.run { try progress?($0) }
        }
    }
}

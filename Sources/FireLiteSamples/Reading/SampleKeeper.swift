import FireLite
import FireLiteCore
import Foundation

/// Keeps what is known of samples up to date with Observations that something else than an engine changes.
///
/// The writes of engines leave it out: they note their samples themselves.
final class SampleKeeper: WriteParticipant {
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

    /// Brings the samples of Observations up to date.
    ///
    /// - Parameters:
    ///   - statement: selects numbers between two bounds, and UUIDs.
    ///   - bound: the upper bound.
    /// - Returns: how many have changed.
    func refreshSamples(_ statement: String, _ bound: Int64) throws -> Int {
        var (changed, last) = (0, Int64(0))
        while true {
            let rows = try sampleRows(statement + " ORDER BY number LIMIT 1000", [.integer(last), .integer(bound)])
            guard let end = rows.last?[0].integer else { return changed }
            for row in rows {
                try checkCancellation()
                if let uuid = SampleLedger.uuid(row[1]) { changed += try refreshSample(id: uuid.lowercased, isChanged: false) }
            }
            last = end
        }
    }

    /// What statistics need of a sample.
    private struct Now {
        let type: String
        let start: Int64
        let end: Int64
        let value: Double?
    }

    private func sampleNow(_ resource: FHIRResource) throws -> Now? {
        guard let sample = try ObservationReader.sample(resource, origin: SampleOrigin()) else { return nil }
        return Now(
            type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: try ObservationReader.number(resource))
    }

    private func samplesNow(_ resource: FHIRResource) throws -> [UUID: Now] {
        var now: [UUID: Now] = [:]
        do {
            for (sample, number) in try ObservationReader.seriesNumbers(resource, origin: SampleOrigin()) {
                now[sample.uuid] = Now(
                    type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: number.doubleValue)
            }
        } catch is SampleError {
            // What cannot be read as samples any more is none.
            return [:]
        }
        return now
    }

    private func refresh(_ row: SQLRow, with now: Now?, isChanged: Bool) throws -> Int {
        guard let uuid = SampleLedger.uuid(row[0]) else { return 0 }
        guard let now else {
            if row[2].isNull { return 0 }
            try markSampleDeleted(uuid, number: nextSampleNumber())
            return 1
        }
        // A quantity whose unit could not be converted has no part in statistics.
        let value = row[4].isNull && !row[2].isNull ? nil : now.value
        let type = try numberOfSampleName("type", now.type, label: SampleType(rawValue: now.type).shortName)
        guard row[1].integer != type || row[2].integer != now.start || row[3].integer != now.end || row[4].double != value else {
            if isChanged { try runSamples("UPDATE _samples SET number = ? WHERE uuid = ?", [.integer(nextSampleNumber()), row[0]]) }
            return 0
        }
        try runSamples(
            "UPDATE _samples SET number = ?, type = ?, start = ?, finish = ?, value = ?, origin = coalesce(origin, 0) WHERE uuid = ?",
            [
                .integer(nextSampleNumber()), .integer(type), .integer(now.start), .integer(now.end),
                value.map { .real($0) } ?? .null, row[0],
            ])
        return 1
    }
}

extension FHIRStore {
    /// Keeps samples and statistics up to date with Observations that the app changes or deletes through this store object, from now on.
    ///
    /// A ``LocalStore`` does so for its store. Call it after opening where the app changes Observations of samples without one.
    public func followSamples() { _ = participant(SampleKeeper.self) { SampleKeeper() } }

    /// Brings samples and statistics up to date with Observations that something else has changed: another process, another store object, or plain
    /// SQL.
    ///
    /// - Returns: how many samples were not up to date.
    /// - Complexity: reads all Observations of samples, about 20 µs each.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func refreshSamples() async throws -> Int {
        try await write(besides: participant(SampleKeeper.self)) { tx in
            // Changed rows get numbers above these.
            let bound = try tx.nextSampleNumber()
            return try tx.refreshSamples("SELECT number, uuid FROM _samples WHERE series IS NULL AND number > ? AND number < ?", bound)
                + tx.refreshSamples("SELECT number, observation FROM _samples_series WHERE number > ? AND number < ?", .max)
        }
    }
}

import FireLite
import Foundation

/// Makes the tables of samples match the Observations: each Observation is read, and what it stands for is compared with the rows. Rows that are
/// left over belong to no Observation.
struct SampleRefresh {
    private struct Lost {
        let uuid: UUID
        let now: SampleNow
        let series: Int64?
    }

    /// What a row and a sample have in common if only the row's UUID is damaged.
    private struct Content: Hashable {
        let type: Int64?
        let start: Int64?
        let end: Int64?
    }

    private let tx: WriteTransaction
    private let names: SampleNames
    private var census: SampleCensus
    /// Whether the rows are others than those that were written.
    private let isDamaged: Bool
    private let noted: SampleCensus.Rows?
    private var changed = 0
    /// The number of samples that have their rows.
    private var right: Int64 = 0
    private var lost: [UUID: Lost] = [:]

    init(_ tx: WriteTransaction) throws {
        self.tx = tx
        names = try SampleNames(tx)
        census = try tx.sampleCensus()
        noted = try tx.notedSamples()?.rows
        isDamaged = try noted.map { try $0 != tx.countedSamples() } ?? false
    }

    /// - Parameter compared: called with the number of samples so far.
    /// - Returns: how many rows were not as they should be.
    mutating func run(_ compared: (Int) throws -> Void) throws -> Int {
        changed = try names.mend(tx)
        var count = 0
        try tx.forEach(typeName: "Observation") { resource in
            let samples = try compare(resource)
            for _ in 0..<samples {
                count += 1
                if count.isMultiple(of: 1000) { try compared(count) }
            }
        }
        try settle()
        try tx.runSamples(
            "DELETE FROM _samples_series WHERE number NOT IN (SELECT series FROM _samples WHERE series IS NOT NULL AND start IS NOT NULL)")
        census.rows = try tx.countedSamples()
        if try tx.notedSamples() != census { try tx.note(census) }
        return changed
    }

    // MARK: - Observations

    /// Compares the samples of an Observation with their rows.
    ///
    /// - Returns: their number.
    private mutating func compare(_ resource: FHIRResource) throws -> Int {
        guard let id = resource.id, let observation = UUID(uuidString: id), observation.lowercased == id else { return 0 }
        if let (uuid, now) = try tx.identifiedSample(resource) {
            // An Observation with another sample's identifier keeps its row, but gets none.
            guard try uuid == observation || tx.sampleRow(observation) != nil else { return 0 }
            try compare(observation, now, series: nil)
            return 1
        }
        let samples = try tx.samplesNow(resource)
        guard let first = samples.first?.value else { return 0 }
        if try tx.sampleSeries(observation) == nil {
            guard try samples.keys.contains(where: { try !belongsElsewhere($0) }) else { return samples.count }
            // The times of its window are not known: these exclude none.
            try tx.runSamples(
                "INSERT INTO _samples_series(observation, type, start, finish) VALUES (?, ?, ?, ?)",
                [SampleLedger.blob(observation), .integer(try names.type(first.type, tx)), .integer(.min), .integer(.max)])
            changed += 1
        }
        let row = try tx.sampleRows(
            "SELECT number, type, start, finish FROM _samples_series WHERE observation = ?", [SampleLedger.blob(observation)]
        ).first
        guard let row, let number = row[0].integer else { return 0 }
        if !ReadTransaction.isRight(row, samples, names) {
            try tx.runSamples(
                "UPDATE _samples_series SET type = ?, start = ?, finish = ? WHERE number = ?",
                [.integer(try names.type(first.type, tx)), .integer(.min), .integer(.max), .integer(number)])
            changed += 1
        }
        for (uuid, now) in samples.sorted(by: { $0.value.start < $1.value.start }) { try compare(uuid, now, series: number) }
        return samples.count
    }

    private mutating func compare(_ uuid: UUID, _ now: SampleNow, series: Int64?) throws {
        guard let row = try tx.sampleRow(uuid) else {
            if lost[uuid] == nil { lost[uuid] = Lost(uuid: uuid, now: now, series: series) }
            return
        }
        // Of two Observations with one sample, the row says which one it follows.
        if row.series != series, try belongsElsewhere(uuid) { return }
        right += 1
        guard row.series != series || !now.matches(row, names) else { return }
        try tx.write(now, uuid, to: row, number: census.takeNumber(tx), series: series, names)
        changed += 1
    }

    /// Whether a sample has a row that follows an Observation with the sample.
    private func belongsElsewhere(_ uuid: UUID) throws -> Bool {
        guard let row = try tx.sampleRow(uuid) else { return false }
        if let number = row.series { return try tx.samples(inSeries: number)[uuid] != nil }
        return try tx.resource(typeName: "Observation", id: uuid.lowercased).flatMap { try tx.sampleNow($0) } != nil
    }

    // MARK: - Rows

    /// Gives samples their lost rows, and takes rows out that belong to no Observation.
    private mutating func settle() throws {
        var orphans = try orphans()
        var places: [Content: [Int]] = [:]
        for (index, row) in orphans.enumerated().reversed() where row.uuid == nil || isDamaged {
            places[Content(type: row.type, start: row.start, end: row.end), default: []].append(index)
        }
        var used: Set<Int> = []
        for sample in lost.values.sorted(by: { ($0.now.start, $0.uuid.lowercased) < ($1.now.start, $1.uuid.lowercased) }) {
            let content = Content(type: try names.type(sample.now.type, tx), start: sample.now.start, end: sample.now.end)
            let number = try census.takeNumber(tx)
            changed += 1
            if let index = places[content]?.popLast() {
                used.insert(index)
                try tx.write(sample.now, sample.uuid, to: orphans[index], number: number, series: sample.series, names)
            } else {
                try insert(sample, number)
            }
        }
        orphans = orphans.enumerated().filter { !used.contains($0.offset) }.map(\.element)
        changed += orphans.count
        for row in orphans where row.uuid == nil { try remove(row) }
        let others = orphans.filter { $0.uuid != nil }
        guard !others.isEmpty else { return }
        var rows = try tx.countedSamples()
        for row in others { if let uuid = row.uuid { rows.remove(uuid) } }
        let areForeign = isDamaged && rows == noted
        for row in others {
            guard let uuid = row.uuid else { continue }
            // Those who read by number hear of samples that were deleted, but not of rows that nobody has written.
            if areForeign { try remove(row) } else { try tx.markSampleDeleted(uuid, number: census.takeNumber(tx)) }
        }
    }

    /// The rows without a UUID, and those with times that belong to no Observation.
    private func orphans() throws -> [SampleRow] {
        let counts = try tx.sampleRows(
            """
            SELECT count(start), count(*) - coalesce(sum(typeof(uuid) = 'blob' AND length(uuid) = 16), 0) FROM _samples
            """
        ).first
        guard counts?[0].integer != right || counts?[1].integer != 0 else { return [] }
        var orphans: [SampleRow] = []
        try tx.forEachSample { row, now in if row.uuid == nil || now == nil && row.hasTimes { orphans.append(row) } }
        return orphans
    }

    private func remove(_ row: SampleRow) throws { try tx.runSamples("DELETE FROM _samples WHERE number = ?", [.integer(row.number)]) }

    private func insert(_ sample: Lost, _ number: Int64) throws {
        let values: [SQLValue] = [
            .integer(number), SampleLedger.blob(sample.uuid), .integer(try names.type(sample.now.type, tx)), .integer(sample.now.start),
            .integer(sample.now.end), sample.now.value(for: nil).map { .real($0) } ?? .null,
            .integer(try names.origin(sample.now.device, nil, tx)), sample.series.map { .integer($0) } ?? .null,
        ]
        // The digest is that of no sample, so the source's own is written when it is read again.
        try tx.runSamples(
            """
            INSERT INTO _samples(number, uuid, type, start, finish, value, origin, digest, series) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)
            """, values)
    }
}

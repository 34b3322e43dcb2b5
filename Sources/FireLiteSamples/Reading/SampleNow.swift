import FireLite
import FireLiteCore
import Foundation

/// A row of `_samples`.
struct SampleRow {
    static let columns = "s.number, s.uuid, s.type, s.start, s.finish, s.value, s.origin, s.digest, s.series"

    let number: Int64
    /// Nil if the row has none.
    let uuid: UUID?
    let type: Int64?
    let start: Int64?
    let end: Int64?
    let value: SQLValue
    let origin: Int64?
    let digest: Int64?
    let series: Int64?
    /// False for a deleted sample.
    let hasTimes: Bool

    /// - Parameter row: begins with the columns.
    init(_ row: SQLRow) {
        number = row[0].integer ?? 0
        uuid = SampleLedger.uuid(row[1])
        (type, start, end, value) = (row[2].integer, row[3].integer, row[4].integer, row[5])
        (origin, digest, series) = (row[6].integer, row[7].integer, row[8].integer)
        hasTimes = !row[3].isNull
    }
}

/// What statistics need of a sample, as its Observation says it.
struct SampleNow {
    let type: String
    let start: Int64
    let end: Int64
    let value: Double?
    /// Whether the unit may be one that could not be converted: such a quantity has no part in statistics.
    var isUnconverted = false
    /// The reference to the Device.
    let device: String?

    /// The number for a row.
    func value(for row: SampleRow?) -> Double? { isUnconverted && row?.value.isNull != false ? nil : value }

    /// Whether a row says the same, apart from its series.
    func matches(_ row: SampleRow, _ names: SampleNames) -> Bool {
        row.number > 0 && row.type == names.types[type] && row.type != nil && row.start == start && row.end == end && row.digest != nil
            && (value(for: row).map { row.value.double == $0 } ?? row.value.isNull)
            && row.origin != nil && row.origin == names.knownOrigin(device, row.origin)
    }
}

extension ReadTransaction {
    /// The sample of an Observation of its own; nil if it is none.
    func sampleNow(_ resource: FHIRResource) throws -> SampleNow? { try identifiedSample(resource)?.now }

    /// The sample of an Observation of its own, with its UUID.
    func identifiedSample(_ resource: FHIRResource) throws -> (uuid: UUID, now: SampleNow)? {
        let json = try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }
        guard let sample = ObservationReader.sample(json, origin: SampleOrigin()) else { return nil }
        let quantity = json["valueQuantity"]
        var now = SampleNow(
            type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: quantity?["value"]?.number?.doubleValue,
            device: json["device"]?["reference"]?.text)
        if case .quantity(let number, let unit) = sample.value, quantity?["code"]?.text == SampleUnits.code(of: unit) {
            // The mapping is not known here. What the standard one converts is no such quantity.
            let target = SampleMapping.standard.entries[sample.type]?.unit?.code
            now.isUnconverted = target.map { SampleUnits.convert(number, from: unit, to: $0) == nil } ?? false
        }
        return (sample.uuid, now)
    }

    /// The samples of an Observation that holds a series; none if it does not.
    func samplesNow(_ resource: FHIRResource) throws -> [UUID: SampleNow] {
        var now: [UUID: SampleNow] = [:]
        do {
            let numbers = try ObservationReader.seriesNumbers(resource, origin: SampleOrigin())
            guard !numbers.isEmpty else { return [:] }
            let device = try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }["device"]?["reference"]?.text
            for (sample, number) in numbers {
                now[sample.uuid] = SampleNow(
                    type: sample.type.rawValue, start: sample.startTime, end: sample.endTime, value: number.doubleValue, device: device)
            }
        } catch is SampleError {
            // What cannot be read as samples any more is none.
            return [:]
        }
        return now
    }

    func sampleRow(_ uuid: UUID) throws -> SampleRow? {
        try sampleRows("SELECT \(SampleRow.columns) FROM _samples s WHERE s.uuid = ?", [SampleLedger.blob(uuid)]).first.map(SampleRow.init)
    }

    /// The samples of the series with a number; none if its Observation is not there.
    func samples(inSeries number: Int64) throws -> [UUID: SampleNow] {
        let row = try sampleRows("SELECT observation FROM _samples_series WHERE number = ?", [.integer(number)]).first
        guard let observation = row.flatMap({ SampleLedger.uuid($0[0]) }) else { return [:] }
        return try resource(typeName: "Observation", id: observation.lowercased).map { try samplesNow($0) } ?? [:]
    }

    /// Calls `body` with the row of each sample, deleted ones too, and what its Observation says; nil if no Observation has the sample.
    ///
    /// - Parameter skipsDamage: whether samples are skipped whose Observations cannot be read.
    func forEachSample(skipsDamage: Bool = false, _ body: (SampleRow, SampleNow?) throws -> Void) throws {
        var keys = RisingKeys("_samples", after: .min)
        // The Observation of a series is read once for its samples, which mostly follow each other.
        var series: (number: Int64, samples: [UUID: SampleNow])?
        while true {
            let rows = try sampleRows(
                "SELECT \(SampleRow.columns) FROM _samples s WHERE s.number > ? ORDER BY s.number LIMIT 1000", [.integer(keys.last)]
            ).map(SampleRow.init)
            guard let end = rows.last?.number else { return }
            try keys.advance(to: end)
            for row in rows {
                try checkCancellation()
                var now: SampleNow?
                do {
                    if let number = row.series {
                        if series?.number != number { series = (number, try samples(inSeries: number)) }
                        now = row.uuid.flatMap { series?.samples[$0] }
                    } else if let uuid = row.uuid {
                        now = try resource(typeName: "Observation", id: uuid.lowercased).flatMap { try sampleNow($0) }
                    }
                } catch let error as FHIRStoreError where skipsDamage && error.code == .notAStore {
                    continue
                }
                try body(row, now)
            }
        }
    }

    // MARK: - Differences

    /// The number of samples whose rows say something else than their Observations. Those of damaged Observations are skipped.
    func differingSamples(_ names: SampleNames) throws -> Int {
        var count = 0
        try forEachSample(skipsDamage: true) { row, now in
            let isSame = now.map { $0.matches(row, names) } ?? (!row.hasTimes && row.uuid != nil)
            if !isSame { count += 1 }
        }
        return count
    }

    /// The number of series that have another type or window than their samples, or samples without rows.
    func differingSeries(_ names: SampleNames) throws -> Int {
        var count = 0
        var keys = RisingKeys("_samples_series", after: .min)
        while true {
            let rows = try sampleRows(
                "SELECT number, type, start, finish, observation FROM _samples_series WHERE number > ? ORDER BY number LIMIT 1000",
                [.integer(keys.last)])
            guard let end = rows.last?[0].integer else { return count }
            try keys.advance(to: end)
            for row in rows {
                try checkCancellation()
                guard let observation = SampleLedger.uuid(row[4]) else {
                    count += 1
                    continue
                }
                let samples: [UUID: SampleNow]
                do {
                    samples = try resource(typeName: "Observation", id: observation.lowercased).map { try samplesNow($0) } ?? [:]
                } catch let error as FHIRStoreError where error.code == .notAStore {
                    continue
                }
                let isWhole = try samples.keys.allSatisfy { try sampleRow($0)?.hasTimes == true }
                if !isWhole || !Self.isRight(row, samples, names) { count += 1 }
            }
        }
    }

    /// Whether a row of number, type, start and finish is that of a series with some samples.
    static func isRight(_ row: SQLRow, _ samples: [UUID: SampleNow], _ names: SampleNames) -> Bool {
        samples.values.allSatisfy { now in
            guard let type = row[1].integer, let start = row[2].integer, let end = row[3].integer else { return false }
            return type == names.types[now.type] && start <= now.start && now.start < end
        }
    }
}

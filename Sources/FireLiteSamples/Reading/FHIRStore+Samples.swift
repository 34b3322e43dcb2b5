import FireLite
import FireLiteCore
import Foundation

extension ReadTransaction {
    /// The samples of a type that overlap a span of time, in the order of their beginnings, read back from their Observations.
    ///
    /// - Parameters:
    ///   - type: the type of the samples.
    ///   - start: the beginning of the span; nil for no bound.
    ///   - end: the end of the span, which is not a part of it; nil for no bound.
    ///   - limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func samples(of type: SampleType, from start: Date? = nil, to end: Date? = nil, limit: Int? = nil) throws -> [Sample] {
        guard let number = try sampleName("type", type.rawValue) else { return [] }
        let low = start.map(SampleTime.milliseconds) ?? Int64.min
        let high = end.map(SampleTime.milliseconds) ?? Int64.max
        let rows = try sampleRows(
            """
            SELECT uuid, origin, series FROM _samples WHERE type = ? AND start < ? AND (finish > ? OR start >= ?)
            ORDER BY start, finish LIMIT ?
            """, [.integer(number), .integer(high), .integer(low), .integer(low), .integer(Int64(limit ?? -1))])
        return try samples(rows)
    }

    /// The samples of rows with uuid, origin and series.
    func samples(_ rows: [SQLRow]) throws -> [Sample] {
        var origins: [Int64: SampleOrigin] = [:]
        var series: [Int64: [UUID: Sample]] = [:]
        var samples: [Sample] = []
        samples.reserveCapacity(rows.count)
        for row in rows {
            guard let uuid = SampleLedger.uuid(row[0]) else { continue }
            let key = row[1].integer ?? 0
            let origin = try origins[key] ?? sampleOrigin(key)
            origins[key] = origin
            if let number = row[2].integer {
                let known = try series[number] ?? self.samples(ofSeries: number, origin)
                series[number] = known
                if let sample = known[uuid] { samples.append(sample) }
            } else if let resource = try resource(typeName: "Observation", id: uuid.lowercased),
                let sample = try ObservationReader.sample(resource, origin: origin)
            {
                samples.append(sample)
            }
        }
        return samples
    }

    private func samples(ofSeries number: Int64, _ origin: SampleOrigin) throws -> [UUID: Sample] {
        let row = try sampleRows("SELECT observation FROM _samples_series WHERE number = ?", [.integer(number)]).first
        guard let uuid = row.flatMap({ SampleLedger.uuid($0[0]) }),
            let resource = try resource(typeName: "Observation", id: uuid.lowercased)
        else { return [:] }
        return Dictionary(try ObservationReader.series(resource, origin: origin).map { ($0.uuid, $0) }) { $1 }
    }

    func sampleOrigin(_ number: Int64) throws -> SampleOrigin {
        SampleOrigin(named: try sampleRows("SELECT name FROM _samples_name WHERE number = ?", [.integer(number)]).first?[0].text ?? "")
    }

    /// The types of the samples in the store, with their numbers.
    ///
    /// - Throws: `FHIRStoreError`.
    public func sampleTypes() throws -> [(type: SampleType, count: Int)] {
        try sampleRows(
            """
            SELECT n.name, count(*) FROM _samples s JOIN _samples_name n ON n.number = s.type WHERE s.start IS NOT NULL
            GROUP BY s.type ORDER BY n.name
            """
        ).map { (SampleType(rawValue: $0[0].text ?? ""), Int($0[1].integer ?? 0)) }
    }

    /// The names of the sources of a type's samples.
    ///
    /// - Throws: `FHIRStoreError`.
    public func sampleSources(of type: SampleType) throws -> [String] {
        guard let number = try sampleName("type", type.rawValue) else { return [] }
        return try sampleRows(
            """
            SELECT DISTINCT n.label FROM _samples s JOIN _samples_name n ON n.number = s.origin WHERE s.type = ? AND s.start IS NOT NULL
            ORDER BY n.label
            """, [.integer(number)]
        ).compactMap { $0[0].text }
    }

    /// Statistics of a type's samples by intervals of a time zone's calendar.
    ///
    /// They follow changes of Observations through this store object (``FireLite/FHIRStore/followSamples()``); changes by other processes
    /// count after ``FireLite/FHIRStore/refreshSamples(progress:)``.
    /// - Parameters:
    ///   - type: the type of the samples.
    ///   - interval: how long the intervals are.
    ///   - start: a time in the first interval; nil for the first sample's.
    ///   - end: the end; nil for the last sample's.
    ///   - zone: the time zone whose days and hours they are.
    ///   - sources: the names of sources, the highest priority first; others come after them by name.
    /// - Returns: an element for each interval, also those without samples.
    /// - Throws: ``SampleError/Code/invalidArgument`` for more than 600,000 intervals, which a year of minutes does not have; `FHIRStoreError`.
    public func sampleStatistics(
        of type: SampleType, by interval: SampleInterval, from start: Date? = nil, to end: Date? = nil, zone: TimeZone = .current,
        sources: [String] = []
    ) throws -> [SampleStatistics] {
        guard let number = try sampleName("type", type.rawValue),
            let range = try sampleRange(number, start, end, hasSpans: type.isCumulative)
        else { return [] }
        let boundaries = try SampleIntervals.boundaries(
            interval, from: range.start, to: range.end, in: zone, isGiven: start != nil && end != nil)
        guard boundaries.count > 1 else { return [] }
        let figures =
            type.isCumulative
            ? SampleSweep.figures(try sampleSpans(number, boundaries, sources), boundaries) : try sampleFigures(number, boundaries)
        return try figures.enumerated().map { index, figure in
            guard figure.total.isFinite, figure.sum.isFinite else { throw wrongSample("a value that is too large to be counted with") }
            let hasSamples = figure.count > 0
            return SampleStatistics(
                start: SampleTime.date(boundaries[index]), end: SampleTime.date(boundaries[index + 1]), count: figure.count,
                minimum: hasSamples ? figure.minimum : nil, maximum: hasSamples ? figure.maximum : nil,
                mean: hasSamples ? figure.total / Double(figure.count) : nil,
                sum: hasSamples || figure.sum > 0 ? figure.sum : nil)
        }
    }

    private func sampleRange(_ type: Int64, _ start: Date?, _ end: Date?, hasSpans: Bool) throws -> (start: Date, end: Date)? {
        // Whatever is no time is the least or the greatest of all values, so these stand for all.
        let first = try sampleRows("SELECT min(start) FROM _samples WHERE type = ?", [.integer(type)]).first?[0] ?? .null
        let last = try sampleRows("SELECT max(start) FROM _samples WHERE type = ?", [.integer(type)]).first?[0] ?? .null
        guard !first.isNull, !last.isNull else { return nil }
        let low = try sampleTime(first)
        var bound = try sampleTime(last) + 1
        if hasSpans, end == nil {
            let finish = try sampleRows("SELECT max(finish) FROM _samples WHERE type = ?", [.integer(type)]).first?[0] ?? .null
            if !finish.isNull { bound = max(bound, try sampleTime(finish)) }
        }
        return (start ?? SampleTime.date(low), end ?? SampleTime.date(bound))
    }

    /// The time in a row, in milliseconds since 1970.
    ///
    /// - Throws: `FHIRStoreError.notAStore` for one that no dateTime of FHIR has.
    private func sampleTime(_ value: SQLValue) throws -> Int64 {
        guard let time = value.integer, SampleTime.possible.contains(time) else { throw wrongSample("a time that no sample has") }
        return time
    }

    /// The number in a row.
    ///
    /// - Throws: `FHIRStoreError.notAStore` for a value that is no number, or an infinite one.
    private func sampleNumber(_ value: SQLValue?) throws -> Double {
        guard let number = value?.double, number.isFinite else {
            throw wrongSample("a value that is no number, or too large to be counted with")
        }
        return number
    }

    private func wrongSample(_ what: String) -> FHIRStoreError {
        FHIRStoreError(
            .notAStore,
            "\(store.path): a row of _samples has \(what), so there are no statistics: correct its Observation, or refresh the samples")
    }

    /// One range of the index for each interval: nothing else is read.
    private func sampleFigures(_ type: Int64, _ boundaries: [Int64]) throws -> [SampleSweep.Figures] {
        try zip(boundaries, boundaries.dropFirst()).map { low, high in
            let row = try sampleRows(
                "SELECT count(value), min(value), max(value), sum(value) FROM _samples WHERE type = ? AND start >= ? AND start < ?",
                [.integer(type), .integer(low), .integer(high)]
            ).first
            var figures = SampleSweep.Figures()
            figures.count = Int(row?[0].integer ?? 0)
            guard figures.count > 0 else { return figures }
            // Texts and blobs are greater than all numbers.
            figures.minimum = try sampleNumber(row?[1])
            figures.maximum = try sampleNumber(row?[2])
            figures.total = try sampleNumber(row?[3])
            figures.sum = figures.total
            return figures
        }
    }

    /// The spans that overlap the intervals, with the ranks of their sources.
    private func sampleSpans(_ type: Int64, _ boundaries: [Int64], _ sources: [String]) throws -> [SampleSweep.Span] {
        let labels = try sampleRows("SELECT number, label FROM _samples_name WHERE kind = 'origin' ORDER BY label")
        let order = sources + Set(labels.compactMap { $0[1].text }).subtracting(sources).sorted()
        let ranks = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        let byNumber = Dictionary(labels.map { ($0[0].integer ?? 0, ranks[$0[1].text ?? ""] ?? order.count) }) { $1 }
        var spans: [SampleSweep.Span] = []
        try forEachRow(
            of: SampleTables.module,
            """
            SELECT start, finish, value, origin FROM _samples WHERE type = ? AND start < ? AND (finish > ? OR start >= ?)
            AND value IS NOT NULL ORDER BY start
            """, [.integer(type), .integer(boundaries[boundaries.count - 1]), .integer(boundaries[0]), .integer(boundaries[0])]
        ) { row in
            spans.append(
                try SampleSweep.Span(
                    start: sampleTime(row[0]), end: sampleTime(row[1]), value: sampleNumber(row[2]),
                    rank: byNumber[row[3].integer ?? 0] ?? order.count))
            return true
        }
        return spans
    }
}

extension FHIRStore {
    /// The samples of a type that overlap a span of time: see ``FireLite/ReadTransaction/samples(of:from:to:limit:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the samples.
    ///   - start: the beginning of the span; nil for no bound.
    ///   - end: the end of the span, which is not a part of it; nil for no bound.
    ///   - limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func samples(of type: SampleType, from start: Date? = nil, to end: Date? = nil, limit: Int? = nil) async throws -> [Sample] {
        try await read { try $0.samples(of: type, from: start, to: end, limit: limit) }
    }

    /// Statistics of a type's samples by intervals: see ``FireLite/ReadTransaction/sampleStatistics(of:by:from:to:zone:sources:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the samples.
    ///   - interval: how long the intervals are.
    ///   - start: a time in the first interval; nil for the first sample's.
    ///   - end: the end; nil for the last sample's.
    ///   - zone: the time zone whose days and hours they are.
    ///   - sources: the names of sources, the highest priority first; others come after them by name.
    /// - Throws: `FHIRStoreError`.
    public func sampleStatistics(
        of type: SampleType, by interval: SampleInterval, from start: Date? = nil, to end: Date? = nil, zone: TimeZone = .current,
        sources: [String] = []
    ) async throws -> [SampleStatistics] {
        try await read { try $0.sampleStatistics(of: type, by: interval, from: start, to: end, zone: zone, sources: sources) }
    }
}

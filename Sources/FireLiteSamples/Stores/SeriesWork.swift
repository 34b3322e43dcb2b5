import FireLite
import FireLiteCore
import Foundation

/// What a write does to Observations that hold a series of samples: each is read when the first sample joins or leaves it, and written once.
struct SeriesWork {
    private struct State {
        let number: Int64
        let observation: UUID
        let options: SampledSeries.Options?
        let origin: SampleOrigin
        var samples: [Sample]
    }

    private let tx: WriteTransaction
    private let writer: ObservationWriter
    private let reader: FHIRJSONReader
    private var states: [UUID: State] = [:]
    private var observations: [SampledSeries.Group: UUID] = [:]

    init(_ tx: WriteTransaction, _ writer: ObservationWriter, _ reader: FHIRJSONReader) {
        self.tx = tx
        self.writer = writer
        self.reader = reader
    }

    // MARK: - Changing

    /// Takes a sample out of its series.
    ///
    /// - Returns: whether it was in one.
    mutating func remove(_ uuid: UUID) throws -> Bool {
        let row = try tx.sampleRows(
            """
            SELECT r.number, r.observation, s.origin FROM _samples s JOIN _samples_series r ON r.number = s.series
            WHERE s.uuid = ? AND s.start IS NOT NULL
            """, [SampleLedger.blob(uuid)]
        ).first
        guard let row, let number = row[0].integer, let observation = SampleLedger.uuid(row[1]) else {
            // It may have joined in this write.
            for (id, state) in states where state.samples.contains(where: { $0.uuid == uuid }) {
                states[id]?.samples.removeAll { $0.uuid == uuid }
                return true
            }
            return false
        }
        if states[observation] == nil {
            let origin = try tx.sampleOrigin(row[2].integer ?? 0)
            states[observation] = State(
                number: number, observation: observation, options: nil, origin: origin,
                samples: try stored(observation, origin))
        }
        states[observation]?.samples.removeAll { $0.uuid == uuid }
        return true
    }

    /// Puts a sample into the series of its window.
    mutating func add(_ sample: Sample, _ group: SampledSeries.Group, _ options: SampledSeries.Options, type: Int64) throws {
        let observation: UUID
        if let known = observations[group] {
            observation = known
        } else {
            observation = group.identifier
            observations[group] = observation
            let old = states[observation]
            let number = try old?.number ?? series(observation, group, type: type)
            states[observation] = State(
                number: number, observation: observation, options: options, origin: sample.origin,
                samples: try old?.samples ?? stored(observation, sample.origin))
        }
        states[observation]?.samples.append(sample)
    }

    private func stored(_ observation: UUID, _ origin: SampleOrigin) throws -> [Sample] {
        guard let resource = try tx.resource(typeName: "Observation", id: observation.lowercased) else { return [] }
        return try ObservationReader.series(resource, origin: origin)
    }

    /// The number of a series, which gets one if it has none.
    private func series(_ observation: UUID, _ group: SampledSeries.Group, type: Int64) throws -> Int64 {
        if let number = try tx.sampleSeries(observation) { return number }
        try tx.runSamples(
            "INSERT INTO _samples_series(observation, type, start, finish) VALUES (?, ?, ?, ?)",
            [SampleLedger.blob(observation), .integer(type), .integer(group.start), .integer(group.end)])
        return try tx.sampleSeries(observation) ?? 0
    }

    // MARK: - Writing

    /// Writes the series that were changed.
    ///
    /// - Returns: the samples that do not fit, which get Observations of their own.
    mutating func finish() throws -> [Sample] {
        var rest: [Sample] = []
        var resources: [FHIRResource] = []
        for state in states.values.sorted(by: { $0.number < $1.number }) {
            let id = state.observation.lowercased
            let sorted = state.samples.sorted { ($0.startTime, $0.identifier) < ($1.startTime, $1.identifier) }
            let (series, alone) = SampledSeries.fitting(sorted, state.options ?? SampledSeries.Options(maximumPlaces: .max), least: 1)
            rest += alone
            for sample in alone {
                try tx.runSamples("UPDATE _samples SET series = NULL WHERE uuid = ?", [SampleLedger.blob(sample.uuid)])
            }
            let device = state.origin.isEmpty ? nil : "Device/" + state.origin.deviceID
            guard let series, let json = writer.json(series, id: id, device: device) else {
                try tx.delete(typeName: "Observation", id: id)
                try tx.runSamples("DELETE FROM _samples_series WHERE number = ?", [.integer(state.number)])
                continue
            }
            resources.append(try json.withUnsafeBufferPointer { try reader.resource(from: $0) })
            for sample in series.samples {
                try tx.runSamples(
                    "UPDATE _samples SET series = ? WHERE uuid = ? AND series IS NOT ?",
                    [.integer(state.number), SampleLedger.blob(sample.uuid), .integer(state.number)])
            }
        }
        if !resources.isEmpty { _ = try tx.store(resources) }
        return rest
    }
}

extension ReadTransaction {
    /// The number of the series that an Observation holds; nil if it holds none.
    func sampleSeries(_ observation: UUID) throws -> Int64? {
        try sampleRows("SELECT number FROM _samples_series WHERE observation = ?", [SampleLedger.blob(observation)]).first?[0].integer
    }
}

import FireLite
import FireLiteCore
import Foundation

/// The store itself as a destination of samples: an Observation for each, with the sample's UUID as its id, and a Device for each origin.
///
/// Observations, bookkeeping and the anchor are committed together. Samples of types that are measured every few seconds can share an
/// Observation with `SampledData` for each window:
///
/// ```swift
/// let local = LocalStore(store, series: [.heartRate: SampledSeries.Options()])
/// ```
/// Later samples of a window join its Observation, and a deleted one leaves it. Samples that a series cannot hold without loss, those of a span
/// of time or with metadata, get Observations of their own.
public final class LocalStore: ExternalStore, CommittingStore {
    /// The store.
    public let store: FHIRStore
    /// How samples become Observations.
    public let mapping: SampleMapping
    /// The types whose samples share Observations, and how. Samples that are stored already stay as they are.
    public let series: [SampleType: SampledSeries.Options]
    /// The store's name among external stores.
    public let name = "local"
    /// Changes with the mapping.
    public let encodingVersion: Int64
    package let isLocal = true
    private let writer: ObservationWriter

    /// Creates a destination. Nothing is written yet.
    ///
    /// - Parameters:
    ///   - store: the store that keeps the samples.
    ///   - mapping: how samples become Observations. Default: the standard mapping.
    ///   - series: the types whose samples share Observations, and how. Default: none.
    public init(_ store: FHIRStore, mapping: SampleMapping = .standard, series: [SampleType: SampledSeries.Options] = [:]) {
        self.store = store
        self.mapping = mapping
        self.series = series
        encodingVersion = mapping.fingerprint
        writer = ObservationWriter(mapping, release: store.release)
        store.followSamples()
    }

    // MARK: - Writing

    package func prepare(_ batch: SampleBatch) throws -> PreparedSamples? {
        let prepared = PreparedSamples()
        prepared.resources.reserveCapacity(batch.added.count + batch.updated.count)
        prepared.digests.reserveCapacity(batch.added.count + batch.updated.count)
        let reader = FHIRJSONReader(release: store.release)
        var json = JSONBytes()
        for objects in [batch.added, batch.updated] {
            for case let sample? in objects.lazy.map(\.sample) where seriesKey(sample) == nil {
                let resource = try observation(sample, reader, &json)
                prepared.resources.append(resource)
                prepared.digests.append(store.digest(of: resource))
            }
        }
        return prepared
    }

    private func observation(_ sample: Sample, _ reader: FHIRJSONReader, _ json: inout JSONBytes) throws -> FHIRResource {
        json.bytes.removeAll(keepingCapacity: true)
        writer.append(sample, id: sample.identifier, device: sample.origin.isEmpty ? nil : "Device/" + sample.origin.deviceID, to: &json)
        return try json.bytes.withUnsafeBufferPointer { try reader.resource(from: $0) }
    }

    /// The series that a sample belongs to; nil if it has an Observation of its own.
    private func seriesKey(_ sample: Sample) -> SampledSeries.Group? {
        guard !series.isEmpty, let options = series[sample.type], writer.isLossless(sample) else { return nil }
        return SampledSeries.Group(sample, window: options.windowLength)
    }

    package func commit(_ batch: SampleBatch, _ prepared: PreparedSamples?, in tx: WriteTransaction) throws {
        guard !batch.isEmpty else { return }
        let reader = FHIRJSONReader(release: store.release)
        var rows = try SampleRows(tx)
        var names = LocalNames()
        var work = SeriesWork(tx, writer, reader)
        for object in batch.deleted {
            if try !work.remove(object.uuid) { try tx.delete(typeName: "Observation", id: object.uuid.lowercased) }
            try rows.delete(object.uuid, tx)
        }
        var devices: [FHIRResource] = []
        for (objects, isUpdate) in [(batch.added, false), (batch.updated, true)] {
            for object in objects {
                guard let sample = object.sample else { continue }
                let key = seriesKey(sample)
                if isUpdate {
                    let wasInSeries = try work.remove(sample.uuid)
                    if key != nil, !wasInSeries { try tx.delete(typeName: "Observation", id: sample.identifier) }
                }
                let origin = try names.origin(sample.origin, tx)
                if let device = try names.newDevice(sample.origin, store.release, reader) { devices.append(device) }
                let type = try names.type(sample.type, tx)
                if let key, let options = series[sample.type] { try work.add(sample, key, options, type: type) }
                try rows.add(
                    sample, value: value(sample), type: type, origin: origin, digest: object.digest, tx)
            }
        }
        try rows.flush(tx)
        if !devices.isEmpty { _ = try tx.store(devices) }
        if let prepared { _ = try tx.store(prepared.resources, digests: prepared.digests) }
        var json = JSONBytes()
        // What does not fit into its series.
        let rest = try work.finish().map { try observation($0, reader, &json) }
        if !rest.isEmpty { _ = try tx.store(rest) }
    }

    /// The number in the mapping's unit, for statistics.
    private func value(_ sample: Sample) -> SQLValue {
        guard case .quantity(let number, let unit) = sample.value, let mapped = writer.mapped(number, unit, sample.type) else {
            return .null
        }
        return .real(mapped.doubleValue)
    }

    // MARK: - Steps that the engine leaves out

    /// Empty: the store's file tracks its samples.
    public func existingLocations(of objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
    /// Empty: samples are added in the write that records them.
    public func add(_ objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
    /// Does nothing: samples are updated in the write that records them.
    public func update(_ objects: [ExternalObject]) async throws {}
    /// Does nothing: samples are deleted in the write that records them.
    public func delete(_ objects: [ExternalObject]) async throws {}
}

/// The numbers of types and origins, each looked up once in a write.
private struct LocalNames {
    private var types: [SampleType: Int64] = [:]
    private var origins: [SampleOrigin: Int64] = [:]
    private var new: Set<SampleOrigin> = []
    /// Mostly the same origin and type follow.
    private var last: (origin: SampleOrigin, number: Int64)?
    private var lastType: (type: SampleType, number: Int64)?

    mutating func type(_ type: SampleType, _ tx: WriteTransaction) throws -> Int64 {
        if let lastType, lastType.type == type { return lastType.number }
        let number = try types[type] ?? tx.numberOfSampleName("type", type.rawValue, label: type.shortName)
        types[type] = number
        lastType = (type, number)
        return number
    }

    mutating func origin(_ origin: SampleOrigin, _ tx: WriteTransaction) throws -> Int64 {
        if let last, last.origin === origin { return last.number }
        if let known = origins[origin] {
            last = (origin, known)
            return known
        }
        let isNew = try tx.sampleName("origin", origin.canonical) == nil
        let number = try tx.numberOfSampleName("origin", origin.canonical, label: origin.name)
        if isNew, !origin.isEmpty { new.insert(origin) }
        origins[origin] = number
        last = (origin, number)
        return number
    }

    /// The Device of an origin that the store does not have, once.
    mutating func newDevice(_ origin: SampleOrigin, _ release: FHIRRelease, _ reader: FHIRJSONReader) throws -> FHIRResource? {
        guard !new.isEmpty, new.remove(origin) != nil else { return nil }
        let json = DeviceWriter.json(origin, id: origin.deviceID, release: release)
        return try json.withUnsafeBufferPointer { try reader.resource(from: $0) }
    }
}

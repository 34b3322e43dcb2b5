import FireLite
import FireLiteCore
import Foundation

/// The store itself as the place of samples: an Observation for each, with the sample's UUID as its id, and a Device for each origin.
///
/// Observations, bookkeeping and the anchor are committed together.
public final class LocalStore: ExternalStore, CommittingStore {
    /// The store.
    public let store: FHIRStore
    /// How samples become Observations.
    public let mapping: SampleMapping
    /// The store's name among external stores.
    public let name = "local"
    /// Changes with the mapping.
    public let form: Int64
    let isLocal = true
    private let writer: ObservationWriter

    /// Creates it. Nothing is written yet.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - mapping: how samples become Observations. Default: the standard mapping.
    public init(_ store: FHIRStore, mapping: SampleMapping = .standard) {
        self.store = store
        self.mapping = mapping
        form = mapping.fingerprint
        writer = ObservationWriter(mapping, release: store.release)
    }

    // MARK: - Writing

    func commit(_ batch: SampleBatch, in tx: WriteTransaction) throws {
        guard !batch.isEmpty else { return }
        var next = try (tx.sampleRows("SELECT max(number) FROM _samples").first?[0].integer ?? 0) + 1
        for object in batch.deleted {
            try tx.delete(typeName: "Observation", id: object.uuid.uuidString.lowercased())
            // The row stays, for those who read by number.
            try tx.runSamples(
                "UPDATE _samples SET number = ?, start = NULL, finish = NULL, value = NULL, origin = NULL, digest = NULL WHERE uuid = ?",
                [.integer(next), SampleLedger.blob(object.uuid)])
            next += 1
        }
        var names = LocalNames()
        var resources: [FHIRResource] = []
        let reader = FHIRJSONReader(release: store.release)
        for (objects, isUpdate) in [(batch.added, false), (batch.updated, true)] {
            for object in objects {
                guard let sample = object.sample else { continue }
                let origin = try names.origin(sample.origin, tx)
                if let device = try names.newDevice(sample.origin, store.release, reader) { resources.append(device) }
                let json = writer.json(sample, id: sample.identifier, device: origin.device)
                resources.append(try json.withUnsafeBufferPointer { try reader.resource(from: $0) })
                if isUpdate { try tx.runSamples("DELETE FROM _samples WHERE uuid = ?", [SampleLedger.blob(sample.uuid)]) }
                try insert(sample, number: next, type: names.type(sample.type, tx), origin: origin.number, object.digest, tx)
                next += 1
            }
        }
        _ = try tx.store(resources)
    }

    // MARK: - Steps that the engine leaves out

    /// Nothing: the store's file knows what is there.
    public func fetch(_ objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
    /// Nothing: samples are added in the write that notes them.
    public func add(_ objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
    /// Nothing: samples are updated in the write that notes them.
    public func update(_ objects: [ExternalObject]) async throws {}
    /// Nothing: samples are deleted in the write that notes them.
    public func delete(_ objects: [ExternalObject]) async throws {}

    private func insert(
        _ sample: Sample, number: Int64, type: Int64, origin: Int64, _ digest: Int64, _ tx: WriteTransaction
    ) throws {
        var value = SQLValue.null
        if case .quantity(let number, let unit) = sample.value, let mapped = writer.mapped(number, unit, sample.type) {
            value = .real(mapped.doubleValue)
        }
        // A sample that was deleted may come again: its row is replaced.
        try tx.runSamples(
            "INSERT OR REPLACE INTO _samples(number, uuid, type, start, finish, value, origin, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(number), SampleLedger.blob(sample.uuid), .integer(type), .integer(sample.startTime), .integer(sample.endTime),
                value, .integer(origin), .integer(digest),
            ])
    }
}

/// The numbers of types and origins, each looked up once in a write.
private struct LocalNames {
    struct Origin {
        let number: Int64
        /// The reference of the Device; nil if nothing is known.
        let device: String?
    }

    private var types: [SampleType: Int64] = [:]
    private var origins: [SampleOrigin: Origin] = [:]
    private var new: Set<SampleOrigin> = []
    /// Mostly the same origin follows.
    private var last: (origin: SampleOrigin, known: Origin)?

    mutating func type(_ type: SampleType, _ tx: WriteTransaction) throws -> Int64 {
        if let number = types[type] { return number }
        let number = try tx.numberOfSampleName("type", type.rawValue, label: type.shortName)
        types[type] = number
        return number
    }

    mutating func origin(_ origin: SampleOrigin, _ tx: WriteTransaction) throws -> Origin {
        if let last, last.origin === origin { return last.known }
        if let known = origins[origin] {
            last = (origin, known)
            return known
        }
        let isNew = try tx.sampleName("origin", origin.canonical) == nil
        let number = try tx.numberOfSampleName("origin", origin.canonical, label: origin.name)
        if isNew, !origin.isEmpty { new.insert(origin) }
        let known = Origin(number: number, device: origin.isEmpty ? nil : "Device/" + DeviceWriter.id(origin))
        origins[origin] = known
        last = (origin, known)
        return known
    }

    /// The Device of an origin that the store does not have, once.
    mutating func newDevice(_ origin: SampleOrigin, _ release: FHIRRelease, _ reader: FHIRJSONReader) throws -> FHIRResource? {
        guard !new.isEmpty, new.remove(origin) != nil else { return nil }
        let json = DeviceWriter.json(origin, id: DeviceWriter.id(origin), release: release)
        return try json.withUnsafeBufferPointer { try reader.resource(from: $0) }
    }
}

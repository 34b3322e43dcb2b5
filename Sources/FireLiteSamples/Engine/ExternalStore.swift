import FireLite
import FireLiteCore
import Foundation

/// A sample on its way to an external store, or a deleted one.
public struct ExternalObject: Sendable, Identifiable {
    /// The sample's permanent id.
    public let uuid: UUID
    /// The sample; nil for a deleted one.
    public let sample: Sample?
    /// Where the external store has it, if that is known: a server's `Observation/1`.
    public var location: String?
    /// A number that changes with the sample.
    let digest: Int64

    /// The UUID.
    public var id: UUID { uuid }

    /// An object.
    ///
    /// - Parameters:
    ///   - uuid: the sample's permanent id.
    ///   - sample: the sample; nil for a deleted one.
    ///   - location: where the external store has it, if that is known.
    public init(uuid: UUID, sample: Sample?, location: String? = nil) {
        self.init(uuid: uuid, sample: sample, location: location, digest: 0)
    }

    init(uuid: UUID, sample: Sample?, location: String?, digest: Int64) {
        self.uuid = uuid
        self.sample = sample
        self.location = location
        self.digest = digest
    }
}

/// A destination of samples: the store itself, a FHIR server, an event hub, or a store of your own.
///
/// For each batch the engine deletes, then asks for ``existingLocations(of:)``, adds and updates. It records a batch only when all of it is
/// done; after a failure or a kill it asks which samples the store already has, so nothing is added twice.
public protocol ExternalStore: Sendable {
    /// The store's name, by which anchors and samples are kept.
    var name: String { get }
    /// A number that changes when the same sample would be sent in another form; 0 if it never does.
    var encodingVersion: Int64 { get }

    /// Which of these samples the store has, with their locations.
    ///
    /// - Parameter objects: samples, or deleted ones.
    /// - Throws: what ends the run.
    func existingLocations(of objects: [ExternalObject]) async throws -> [UUID: String]

    /// Adds samples that the store does not have.
    ///
    /// - Parameter objects: the samples.
    /// - Returns: the locations that are known.
    /// - Throws: what ends the run. The anchor stays.
    func add(_ objects: [ExternalObject]) async throws -> [UUID: String]

    /// Updates samples that the store has.
    ///
    /// - Parameter objects: the samples with their locations.
    /// - Throws: what ends the run. The anchor stays.
    func update(_ objects: [ExternalObject]) async throws

    /// Deletes samples.
    ///
    /// - Parameter objects: deleted samples with their locations.
    /// - Throws: what ends the run. The anchor stays.
    func delete(_ objects: [ExternalObject]) async throws
}

extension ExternalStore {
    /// Always the same form.
    public var encodingVersion: Int64 { 0 }
}

/// An external store that only takes new samples, and perhaps not all of them. The engine counts the others, changes and deletions as skipped, and
/// does not note them as done.
package protocol AppendOnlyStore: ExternalStore {
    /// Whether the store has a form for a sample.
    func takes(_ sample: Sample) -> Bool
}

/// What is to be done at an external store with one batch.
package struct SampleBatch: Sendable {
    package var deleted: [ExternalObject] = []
    package var added: [ExternalObject] = []
    package var updated: [ExternalObject] = []

    package var isEmpty: Bool { deleted.isEmpty && added.isEmpty && updated.isEmpty }
}

/// What a committing store has made of a batch before the write.
///
/// `@unchecked Sendable`: one task fills it and hands it over to the write, after which nothing uses it.
package final class PreparedSamples: @unchecked Sendable {
    var resources: [FHIRResource] = []
    var digests: [ContentDigest.Value] = []
}

/// An external store that works inside the write that notes the batch: what it does is done with the note, or not at all.
package protocol CommittingStore: ExternalStore {
    /// Whether it is the store of the file itself.
    var isLocal: Bool { get }
    /// Is called at the beginning of a run.
    func begin()
    /// Does what needs no write, while the last batch may still be written.
    func prepare(_ batch: SampleBatch) throws -> PreparedSamples?
    /// Does the work of a batch, as a part of a write.
    func commit(_ batch: SampleBatch, _ prepared: PreparedSamples?, in tx: WriteTransaction) throws
    /// Is called after the write, and at the end of a run.
    ///
    /// - Returns: why something still waits; nil if nothing does.
    func finish(_ store: FHIRStore) async throws -> String?
}

extension CommittingStore {
    package func begin() {}
    package func prepare(_ batch: SampleBatch) throws -> PreparedSamples? { nil }
    package func finish(_ store: FHIRStore) async throws -> String? { nil }
}

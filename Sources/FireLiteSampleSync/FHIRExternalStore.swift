import FireLite
import FireLiteCore
import FireLiteSamples
import FireLiteSync
import Foundation

/// A FHIR server as the place of samples.
///
/// A batch becomes one transaction Bundle, put into the store's outbox in the write that notes it, and sent from there in order. New samples are
/// created on the condition that the server has none with their identifier, or stored by their UUIDs; so each is there once, however often it
/// was sent.
///
/// The server has to accept transactions. One that has only batches, or no Bundles, refuses the requests, which then wait: a `Synchronizer` sends
/// the Observations of a `LocalStore` to such a server.
public final class FHIRExternalStore: ExternalStore, CommittingStore {
    /// How the server is asked to store a sample.
    public enum Style: String, Sendable {
        /// POST, with the condition that no Observation has the identifier. Updates and deletions find theirs by the identifier.
        case conditional
        /// PUT with the UUID as id, for servers that let clients choose ids.
        case ownIDs
    }

    /// The server's client.
    public let client: FHIRClient
    /// How samples become Observations.
    public let mapping: SampleMapping
    /// How the server is asked to store a sample.
    public let style: Style
    /// The server's address.
    public let name: String
    /// Changes with the mapping.
    public let encodingVersion: Int64
    package let isLocal = false
    private let writer: ObservationWriter
    private let answered = AnsweredRequests()

    /// Creates it. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: the server's client, of the store's release.
    ///   - mapping: how samples become Observations. Default: the standard mapping.
    ///   - style: how the server is asked to store a sample. Default: on conditions.
    public init(_ client: FHIRClient, mapping: SampleMapping = .standard, style: Style = .conditional) {
        self.client = client
        self.mapping = mapping
        self.style = style
        name = client.base.absoluteString
        encodingVersion = mapping.fingerprint
        writer = ObservationWriter(mapping, release: client.release)
    }

    package func begin() { answered.clear() }

    package func commit(_ batch: SampleBatch, _ prepared: PreparedSamples?, in tx: WriteTransaction) throws {
        guard !batch.isEmpty else { return }
        var bundle = JSONBytes(capacity: 1 << 16)
        bundle.raw("{\"resourceType\":\"Bundle\",\"type\":\"transaction\",\"entry\":[")
        var isFirst = true
        func entry(_ method: String, _ url: String, fullURL: String? = nil, resource: [UInt8]? = nil, ifNoneExist: String? = nil) {
            if !isFirst { bundle.raw(",") }
            isFirst = false
            bundle.raw("{")
            if let fullURL {
                bundle.member("fullUrl", fullURL)
                bundle.raw(",")
            }
            if let resource {
                bundle.raw("\"resource\":")
                bundle.raw(resource)
                bundle.raw(",")
            }
            bundle.raw("\"request\":{")
            bundle.member("method", method)
            bundle.raw(",")
            bundle.member("url", url)
            if let ifNoneExist {
                bundle.raw(",")
                bundle.member("ifNoneExist", ifNoneExist)
            }
            bundle.raw("}}")
        }
        for object in batch.deleted {
            let id = object.uuid.lowercased
            entry("DELETE", style == .ownIDs ? "Observation/\(id)" : "Observation?\(Self.condition(id))")
        }
        let references = devices(batch) { id, json in
            switch style {
            case .ownIDs: entry("PUT", "Device/\(id)", resource: json)
            case .conditional: entry("POST", "Device", fullURL: "urn:uuid:\(id)", resource: json, ifNoneExist: Self.condition(id))
            }
        }
        for (objects, isUpdate) in [(batch.added, false), (batch.updated, true)] {
            for object in objects {
                guard let sample = object.sample else { continue }
                let id = sample.identifier
                let json = writer.json(sample, id: style == .ownIDs ? id : nil, device: references[sample.origin])
                switch style {
                case .ownIDs: entry("PUT", "Observation/\(id)", resource: json)
                case .conditional where isUpdate: entry("PUT", "Observation?\(Self.condition(id))", resource: json)
                case .conditional: entry("POST", "Observation", resource: json, ifNoneExist: Self.condition(id))
                }
            }
        }
        bundle.raw("]}")
        // Each entry has one effect however often the outbox sends it.
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(client.release), body: Data(bundle.bytes))
        try tx.enqueue(request, for: client.base, marksCreates: false)
    }

    package func finish(_ store: FHIRStore) async throws -> String? {
        let result = try await Outbox(store: store, client: client).flush(keeping: answered.numbers)
        answered.add(result.unshown)
        switch result.stop {
        case nil: return nil
        case .failed(_, let failure): return failure.message
        case .refused(let number):
            return """
                the server refused the request \(number) of the outbox, a transaction: it has to accept transactions. Samples that the store has as \
                Observations can be sent by a synchronization instead, such as `firelite push`
                """
        case .postponed: return "the server wants to be asked again later"
        }
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

    private static func condition(_ id: String) -> String {
        FHIRParameters([.init(name: "identifier", value: "\(SampleMapping.system)|\(id)")]).query
    }

    /// The references to the Devices of a batch.
    private func devices(_ batch: SampleBatch, _ body: (_ id: String, _ json: [UInt8]) -> Void) -> [SampleOrigin: String] {
        var references: [SampleOrigin: String] = [:]
        for object in batch.added + batch.updated {
            guard let origin = object.sample?.origin, !origin.isEmpty, references[origin] == nil else { continue }
            let id = origin.deviceID
            references[origin] = style == .ownIDs ? "Device/\(id)" : "urn:uuid:\(id)"
            body(id, DeviceWriter.json(origin, id: id, release: client.release, hasID: style == .ownIDs))
        }
        return references
    }
}

/// The requests of a run that the server says it has done and does not show: the run does not send them again.
///
/// `@unchecked Sendable`: the lock guards the numbers.
private final class AnsweredRequests: @unchecked Sendable {
    private let lock = NSLock()
    private var all: Set<Int64> = []

    var numbers: Set<Int64> { lock.withLock { all } }

    func add(_ numbers: [Int64]) { lock.withLock { all.formUnion(numbers) } }

    func clear() { lock.withLock { all = [] } }
}

import FireLiteClient
import FireLiteCore
import FireLiteSamples
import Foundation

/// An event hub that an IoMT connector reads from. Events can only be added. An engine counts deletions, updates, and samples that connectors have no
/// form for as skipped (`SampleRunResult.skipped`), and does not note them as sent.
///
/// A hub cannot be asked what it has: a run that is killed between sending and noting sends its batch again, with the same UUIDs.
public final class IoMTStore: ExternalStore, AppendOnlyStore {
    /// Settings of an event hub.
    public struct Configuration: Sendable {
        /// How many events a message has at most.
        public var batchSize = 100
        /// The largest body in bytes. A hub takes 1 MB at most.
        public var maximumBytes = 1_000_000
        /// How often and when requests are repeated.
        public var retry = RetryPolicy()
        /// The time and the randomness, for tests.
        public var clock = FHIRClock.system
        /// Where the hub is if not at the connection string's endpoint, for tests.
        public var address: URL?

        /// The standard settings.
        public init() {}
    }

    /// The hub's address.
    public let name: String
    private let connection: IoMTConnection
    private let configuration: Configuration
    private let transport: any HTTPTransport

    /// Creates it. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - connectionString: `Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…;EntityPath=…`.
    ///   - configuration: the settings.
    ///   - transport: what sends the requests.
    /// - Throws: `SampleError.Code.invalidArgument` if the connection string lacks a part.
    public init(
        connectionString: String, configuration: Configuration = Configuration(), transport: any HTTPTransport = .standard
    ) throws {
        connection = try IoMTConnection(connectionString, base: configuration.address)
        self.configuration = configuration
        self.transport = transport
        name = connection.description
    }

    /// The events of samples as JSON, one a line. Samples that connectors have no form for, exercises and groups other than blood pressures, are left
    /// out: there are fewer lines than samples then.
    public static func events(_ samples: [Sample]) -> String { samples.compactMap(IoMTEvent.json).map { $0 + "\n" }.joined() }

    /// None: a connector cannot be queried.
    public func existingLocations(of objects: [ExternalObject]) async throws -> [UUID: String] { [:] }

    package func takes(_ sample: Sample) -> Bool { IoMTEvent.json(sample) != nil }

    /// Refuses: a connector cannot update anything.
    ///
    /// - Throws: `SampleError.Code.refused`, unless there are no objects.
    public func update(_ objects: [ExternalObject]) async throws { try refuse(objects, "updated") }

    /// Refuses: a connector cannot delete anything.
    ///
    /// - Throws: `SampleError.Code.refused`, unless there are no objects.
    public func delete(_ objects: [ExternalObject]) async throws { try refuse(objects, "deleted") }

    private func refuse(_ objects: [ExternalObject], _ what: String) throws {
        guard !objects.isEmpty else { return }
        throw SampleError(.refused, "events of an event hub cannot be \(what): skip these samples")
    }

    /// Sends the samples as events. Their locations are not known.
    ///
    /// - Throws: `SampleError`: `notMapped`, before anything is sent, for a sample that connectors have no form for; `refused`; `unreachable`.
    public func add(_ objects: [ExternalObject]) async throws -> [UUID: String] {
        var bodies: [String] = []
        var size = 2
        func flush() async throws {
            guard !bodies.isEmpty else { return }
            try await post("[" + bodies.joined(separator: ",") + "]")
            bodies = []
            size = 2
        }
        let events = try objects.map { object in
            guard let event = object.sample.flatMap(IoMTEvent.json) else {
                throw SampleError(
                    .notMapped, "connectors have no form for exercises, nor for groups of samples but blood pressures: skip them")
            }
            return event
        }
        for event in events {
            let body = JSONText.object([("Body", JSONText.string(event))])
            if bodies.count >= configuration.batchSize || size + body.utf8.count + 1 > configuration.maximumBytes { try await flush() }
            bodies.append(body)
            size += body.utf8.count + 1
        }
        try await flush()
        return [:]
    }

    /// Posts a body, again where the hub has not taken it. Whether it has taken one that it did not answer to is unknown, so that one is not posted again
    /// here: the next run sends its samples again, with the same UUIDs.
    private func post(_ body: String) async throws {
        let clock = configuration.clock
        try await configuration.retry.retrying(by: clock) {
            let fields: HTTPFields = [
                "Content-Type": "application/vnd.microsoft.servicebus.json", "Authorization": connection.authorization(at: clock.now()),
            ]
            do {
                let response = try await transport.send(HTTPRequest(.post, connection.url, fields: fields, body: Data(body.utf8)))
                if 200..<300 ~= response.status { return .done(()) }
                let failure = SampleError(.refused, "the event hub answered with the status \(response.status)")
                guard RetryPolicy.mayRepeat(response.status, isRepeatable: false) else { throw failure }
                return .failed(.failure(failure), retryAfter: HTTPDate.retryAfter(response.fields["Retry-After"], now: clock.now()))
            } catch let error as HTTPTransportError {
                let failure = SampleError(.unreachable, error.description)
                guard RetryPolicy.mayRepeat(error, isRepeatable: false) else { throw failure }
                return .failed(.failure(failure), retryAfter: nil)
            }
        }
    }
}

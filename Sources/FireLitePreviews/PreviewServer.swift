import FireLite
import FireLiteClient
import FireLiteService
import Foundation

/// A FHIR server in the same process, for previews and tests of code that talks to one: no sockets, no waiting, the same answers each time.
///
/// ```swift
/// let server = try PreviewServer(.preview(patients: 3))
/// let client = try server.client()
/// server.fail(.unreachable)      // the next request
/// ```
/// It answers as ``/FireLiteService/FHIRService`` does, from a store that a test can also read and write itself. Times and ids that the server gives are
/// the same in each run: see ``init(_:clock:configure:)``. Thread-safe.
public final class PreviewServer: Sendable {
    /// Its base address, `https://preview.example/fhir`.
    public static let base = "https://preview.example/fhir"

    /// The store that it serves.
    public let store: FHIRStore
    /// The service that answers.
    public let service: FHIRService
    /// The source of its time.
    public let clock: FHIRClock
    /// Sends requests to it, for a client with settings of its own.
    public let transport: PreviewTransport

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - store: what it serves. For a client that synchronizes, it should keep its history (`store.track(.history)`).
    ///   - clock: the source of its time. Default: begins on 1 January 2030 and moves by a second with each look, so that all times differ.
    ///   - configure: changes the configuration of the service, such as an authorizer.
    /// - Throws: `ServiceError` for a configuration that cannot be used.
    public init(
        _ store: FHIRStore, clock: FHIRClock = .stepping(from: Date(timeIntervalSince1970: 1_893_456_000)),
        configure: (inout FHIRService.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = FHIRService.Configuration()
        configuration.base = Self.base
        configuration.clock = clock
        configuration.timeZone = .gmt
        let ids = Counter()
        configuration.makeID = { "new-\(ids.next())" }
        configure(&configuration)
        self.store = store
        self.clock = clock
        service = try FHIRService(store: store, configuration: configuration)
        transport = PreviewTransport(service)
    }

    /// A client of this server, whose waits between repetitions take no time.
    ///
    /// - Parameter configure: changes the client's configuration.
    /// - Throws: `FHIRClientError` for a configuration that cannot be used.
    public func client(_ configure: (inout FHIRClient.Configuration) -> Void = { _ in }) throws -> FHIRClient {
        var configuration = FHIRClient.Configuration()
        configuration.clock = clock
        configure(&configuration)
        guard let base = URL(string: service.configuration.base) else {
            throw FHIRClientError(.invalidArgument, "the base of the service is no address")
        }
        return try FHIRClient(base: base, release: store.release, configuration: configuration, transport: transport)
    }

    // MARK: - Failures

    /// How a request fails.
    public enum Failure: Sendable, Hashable {
        /// The server is not reached and has not seen the request.
        case unreachable
        /// The server executes the request, and its answer is lost.
        case answerLost
        /// The server refuses the request without executing it: 503, 401.
        case status(Int)
    }

    /// Lets the next requests fail.
    ///
    /// - Parameters:
    ///   - failure: how.
    ///   - count: how many of them, after those of earlier calls. A client repeats some requests by itself (`FHIRClient.Configuration.retry`). Default: 1.
    public func fail(_ failure: Failure, count: Int = 1) { transport.log.fail(failure, count: count) }

    /// Whether no request reaches it, as on a plane. Default: false.
    public var isOffline: Bool {
        get { transport.log.isOffline }
        set { transport.log.isOffline = newValue }
    }

    /// The requests so far that have reached the server, in order: `GET Patient/1`.
    public var requests: [String] { transport.log.requests }

    /// Forgets the requests so far.
    public func forgetRequests() { transport.log.forget() }
}

/// Sends requests to a ``PreviewServer``, or lets them fail as it says.
public struct PreviewTransport: HTTPTransport {
    private let answers: ServiceTransport
    private let base: String
    fileprivate let log = PreviewLog()

    fileprivate init(_ service: FHIRService) {
        answers = ServiceTransport(service)
        base = service.configuration.base
    }

    /// Sends a request and returns the whole answer.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await run(request, { HTTPResponse($0) }, { try await answers.send(request) })
    }

    /// Sends a request and returns the answer with its body as it is made.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        try await run(request, { HTTPStreamedResponse($0, fields: [:], body: HTTPBody(Data())) }, { try await answers.stream(request) })
    }

    private func run<Answer>(
        _ request: HTTPRequest, _ refusal: (Int) -> Answer, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        let address = request.url.absoluteString
        let path = address.hasPrefix(base) ? String(address.dropFirst(base.count).drop { $0 == "/" }) : address
        switch log.next("\(request.method) \(path)") {
        case nil: return try await answer()
        case .unreachable: throw HTTPTransportError(.cannotConnect, "the preview server is not reached")
        case .answerLost:
            _ = try await answer()
            throw HTTPTransportError(.connectionLost, "the answer of the preview server is lost")
        case .status(let status): return refusal(status)
        }
    }
}

/// What a preview server has seen, and what it does next.
///
/// `@unchecked Sendable` by `lock`.
private final class PreviewLog: @unchecked Sendable {
    private let lock = NSLock()
    private var seen: [String] = []
    private var failures: [PreviewServer.Failure] = []
    private var offline = false

    var requests: [String] { lock.withLock { seen } }

    var isOffline: Bool {
        get { lock.withLock { offline } }
        set { lock.withLock { offline = newValue } }
    }

    func fail(_ failure: PreviewServer.Failure, count: Int) {
        lock.withLock { failures += Array(repeating: failure, count: max(count, 0)) }
    }

    func forget() { lock.withLock { seen = [] } }

    func next(_ request: String) -> PreviewServer.Failure? {
        lock.withLock {
            if offline { return .unreachable }
            let failure = failures.isEmpty ? nil : failures.removeFirst()
            if failure != .unreachable { seen.append(request) }
            return failure
        }
    }
}

/// Counts from 1.
///
/// `@unchecked Sendable` by `lock`.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var last = 0

    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}

import FireLiteSync
import Foundation
import TestSupport

/// A server that accepts connections and never answers: the system's own queue takes what is sent to it.
final class SilentServer: Sendable {
    let base: URL
    private let socket: ListeningSocket

    init() throws {
        socket = try ListeningSocket()
        guard let url = URL(string: "http://127.0.0.1:\(socket.port)/base") else { throw CocoaError(.featureUnsupported) }
        base = url
    }
}

/// A transport to a server in memory that does not answer in time, before or after it has done what it was asked for.
struct SlowTransport: HTTPTransport {
    /// What becomes of a request.
    enum Fate: Sendable {
        case answered
        /// The server hangs before it reads the request.
        case ignored
        /// The server hangs after it has done what was asked for.
        case done
    }

    let server: any HTTPTransport
    let clock: TestClock
    let fate: @Sendable (HTTPRequest) -> Fate

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fate = fate(request)
        if case .answered = fate { return try await server.send(request) }
        if case .done = fate { _ = try await server.send(request) }
        clock.advance(request.timeout / .seconds(1))
        throw HTTPTransportError(.timedOut, "the server did not answer in time")
    }
}

import FireLiteSync
import Foundation

/// What stands between a device and its server, with faults on purpose.
///
/// `@unchecked Sendable`: the lock guards the numbers.
final class FaultyNetwork: HTTPTransport, @unchecked Sendable {
    /// What happens to a request.
    enum Fault: CaseIterable, Sendable {
        /// A captive portal answers instead of the server.
        case portal
        /// The server does what it is asked to, and something answers in its place.
        case portalAfterwards
        /// A proxy answers with success and nothing else.
        case emptySuccess
        /// A gateway does not know the address.
        case gatewayNotFound, gatewayGone
        /// A gateway does not reach the server.
        case badGateway
        /// The connection breaks before or after the server has done it.
        case requestLost, answerLost
        /// The server says nothing.
        case silence
        /// A proxy accepts it for later, and forgets it.
        case accepted
        /// Another resource comes back.
        case wrongResource
    }

    private static let page = Data("<!DOCTYPE html><html><body>Please log in</body></html>".utf8)

    private let server: ModelServer
    private let lock = NSLock()
    private var choose: @Sendable (HTTPRequest) -> Fault?

    init(_ server: ModelServer, _ choose: @escaping @Sendable (HTTPRequest) -> Fault? = { _ in nil }) {
        self.server = server
        self.choose = choose
    }

    /// Decides what happens to a request; nil if nothing does.
    var fault: @Sendable (HTTPRequest) -> Fault? {
        get { lock.withLock { choose } }
        set { lock.withLock { choose = newValue } }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let fault = fault(request) else { return try await server.send(request) }
        return try await Self.answer(fault, request) { try await self.server.send(request) }
    }

    static func answer(_ fault: Fault, _ request: HTTPRequest, _ server: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        func page(_ status: Int) -> HTTPResponse { HTTPResponse(status, fields: ["Content-Type": "text/html"], body: Self.page) }
        switch fault {
        case .portal: return page(200)
        case .portalAfterwards:
            _ = try await server()
            return page(200)
        case .emptySuccess: return HTTPResponse(200)
        case .gatewayNotFound: return page(404)
        case .gatewayGone: return page(410)
        case .badGateway: return page(502)
        case .requestLost: throw HTTPTransportError(.connectionLost, "the connection broke")
        case .answerLost:
            _ = try await server()
            throw HTTPTransportError(.connectionLost, "the connection broke")
        case .silence: throw HTTPTransportError(.timedOut, "the server says nothing")
        case .accepted: return HTTPResponse(202)
        case .wrongResource: return .json(#"{"resourceType":"Basic","id":"other","code":{"text":"x"}}"#)
        }
    }
}

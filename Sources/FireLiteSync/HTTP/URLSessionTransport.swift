import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests by Foundation's URLSession, which also decompresses gzip.
///
/// It keeps no cookies, cache or passwords, and follows no redirects.
public final class URLSessionTransport: HTTPTransport {
    /// A transport for the whole program.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let maximumBodyBytes: Int

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - maximumConnections: the number of connections to a server at once. On Linux, each request that is not a GET or HEAD has one of its
    ///     own besides.
    ///   - maximumBodyBytes: the longest answer that is read into memory; ``stream(_:)`` has no limit.
    public init(maximumConnections: Int = 6, maximumBodyBytes: Int = 512 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = maximumConnections
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        self.maximumBodyBytes = maximumBodyBytes
        session = Self.session(configuration)
    }

    private static func session(_ configuration: URLSessionConfiguration) -> URLSession {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: URLSessionReceiver(), delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await stream(request)
        let body = try await response.body.collected(upTo: maximumBodyBytes)
        return HTTPResponse(response.status, fields: response.fields, body: body)
    }

    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        try Task.checkCancellation()
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.timeoutInterval = Self.interval(request.timeout)
        for field in request.fields.all { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        urlRequest.httpBody = request.body
        let session = session(for: request)
        let task = session.dataTask(with: urlRequest)
        let reception = HTTPReception(task)
        (session.delegate as? URLSessionReceiver)?.add(reception, for: task)
        task.resume()
        if session !== self.session { session.finishTasksAndInvalidate() }
        let head = try await reception.head()
        // Whoever stops reading without an error drops the body, and with it the last reference to the guard.
        let guardian = ReceptionGuard(reception)
        return HTTPStreamedResponse(head.status, fields: head.fields, body: HTTPBody { try await guardian.reception.piece() })
    }
}

extension URLSessionTransport {
    /// A timeout in seconds. On Linux, Foundation cuts off what is beyond whole seconds, and would end a request with a timeout of less than one at once.
    private static func interval(_ timeout: Duration) -> TimeInterval {
        let seconds = max(timeout / .seconds(1), 0.001)
        #if canImport(FoundationNetworking)
            return seconds.rounded(.up)
        #else
            return seconds
        #endif
    }

    /// On Linux, what writes gets a connection of its own. If a connection that was used before breaks without an answer, libcurl sends the
    /// request again on a new one, whatever its method: a resource would be created twice, and a body is not sent again but waited for.
    private func session(for request: HTTPRequest) -> URLSession {
        #if canImport(FoundationNetworking)
            if request.method != .get, request.method != .head { return Self.session(session.configuration) }
        #endif
        return session
    }
}

/// Cancels a request when nobody can read its body anymore.
private final class ReceptionGuard: Sendable {
    let reception: HTTPReception

    init(_ reception: HTTPReception) { self.reception = reception }

    deinit { reception.cancel() }
}

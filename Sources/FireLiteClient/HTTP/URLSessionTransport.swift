import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with Foundation's URLSession, which also decompresses gzip.
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
    ///   - maximumConnections: the maximum number of simultaneous connections to a server. On Linux, each request other than GET and HEAD
    ///     has an additional connection of its own.
    ///   - maximumBodyBytes: the maximum size of an answer in memory; ``stream(_:)`` has no limit.
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

    /// Sends a request and returns the whole response.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await begin(request).whole(upTo: maximumBodyBytes)
    }

    /// Sends a request and returns its response before the body has arrived.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse { try await begin(request).answer() }

    private func begin(_ request: HTTPRequest) throws -> HTTPReception {
        try Task.checkCancellation()
        _ = try request.checked()
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.timeoutInterval = Self.interval(request.timeout)
        for field in request.fields.all { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        urlRequest.httpBody = request.body
        let session = session(for: request)
        let task = session.dataTask(with: urlRequest)
        let reception = HTTPReception(request, canWait: false)
        reception.begin(URLSessionSource(task: task))
        (session.delegate as? URLSessionReceiver)?.add(reception, for: task)
        Self.watch(reception, until: reception.check())
        task.resume()
        if session !== self.session { session.finishTasksAndInvalidate() }
        return reception
    }

    /// The reception's patience decides, as it knows which bytes are progress. Foundation's own limit is longer, and restarts with each
    /// byte. On Linux it is truncated to whole seconds.
    private static func interval(_ timeout: Duration) -> TimeInterval { (max(timeout / .seconds(1), 0) * 2 + 5).rounded(.up) }

    private static let watch = DispatchQueue(label: "FireLite deadlines")

    /// Checks a request each time that it may be overdue, until it has ended or is abandoned.
    private static func watch(_ reception: HTTPReception, until limit: ContinuousClock.Instant?) {
        guard let limit else { return }
        let wait = max((limit - .now) / .seconds(1), 0)
        watch.asyncAfter(deadline: .now() + wait) { [weak reception] in
            guard let reception else { return }
            watch(reception, until: reception.check())
        }
    }
}

extension URLSessionTransport {
    /// On Linux, what writes gets a connection of its own. If a connection that was used before breaks without an answer, libcurl sends the
    /// request again on a new one, whatever its method: a resource would be created twice, and a body is not sent again but waited for.
    private func session(for request: HTTPRequest) -> URLSession {
        #if canImport(FoundationNetworking)
            if !request.isReading { return Self.session(session.configuration) }
        #endif
        return session
    }
}

/// A request of a session. It cannot be made to wait: on Linux, suspending a receiving request ends the program or repeats bytes.
private struct URLSessionSource: HTTPSource {
    let task: URLSessionTask

    func cancel() { task.cancel() }
    func resume() {}
}

/// Sends requests with URLSession on Apple platforms, elsewhere with the system's libcurl, or with URLSession if that is missing.
///
/// It decompresses answers, uses HTTP/2 if both sides support it, keeps no cookies, cache or passwords, and follows no redirects. On Linux
/// the environment variables `http_proxy`, `https_proxy` and `no_proxy` name proxies.
public final class StandardTransport: HTTPTransport {
    /// A transport for the whole program.
    public static let shared = StandardTransport()

    private let transport: any HTTPTransport

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - maximumConnections: the maximum number of simultaneous requests to a server; others wait.
    ///   - maximumBodyBytes: the maximum size of an answer in memory; ``stream(_:)`` has no limit.
    public init(maximumConnections: Int = 6, maximumBodyBytes: Int = 512 << 20) {
        #if canImport(FoundationNetworking)
            if let curl = CurlTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes) {
                transport = curl
                return
            }
        #endif
        transport = URLSessionTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes)
    }

    /// Sends a request and returns the whole response.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await transport.send(request) }

    /// Sends a request and returns its response before the body has arrived.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse { try await transport.stream(request) }
}

extension HTTPTransport where Self == StandardTransport {
    /// ``StandardTransport/shared``.
    public static var standard: StandardTransport { .shared }
}

/// Sends requests in the way that suits the system: by URLSession on Apple's systems, elsewhere by the system's libcurl, and by URLSession without it.
///
/// It decompresses what servers compress, uses HTTP/2 if both sides know it, keeps no cookies, cache or passwords, and follows no redirects.
/// The variables `http_proxy`, `https_proxy` and `no_proxy` of the environment name proxies on Linux.
public final class StandardTransport: HTTPTransport {
    /// A transport for the whole program.
    public static let shared = StandardTransport()

    private let transport: any HTTPTransport

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - maximumConnections: the number of requests to a server at once; others wait for their turn.
    ///   - maximumBodyBytes: the longest answer that is read into memory; ``stream(_:)`` has no limit.
    public init(maximumConnections: Int = 6, maximumBodyBytes: Int = 512 << 20) {
        #if canImport(FoundationNetworking)
            if let curl = CurlTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes) {
                transport = curl
                return
            }
        #endif
        transport = URLSessionTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes)
    }

    public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await transport.send(request) }

    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse { try await transport.stream(request) }
}

extension HTTPTransport where Self == StandardTransport {
    /// ``StandardTransport/shared``.
    public static var standard: StandardTransport { .shared }
}

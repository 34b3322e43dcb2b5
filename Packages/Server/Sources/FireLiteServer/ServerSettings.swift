import Foundation

/// Where a server listens, and whom it lets in before a request is read.
public struct ServerSettings: Sendable {
    /// The address to listen at. Default: the loopback interface.
    public var address = "127.0.0.1"
    /// The port; 0 for any free one. Default: 8080.
    public var port = 8080
    /// The origins of other pages that may use the server from a browser (CORS). Default: none.
    public var origins: Set<String> = []
    /// Names by which clients may call the server in the field `Host`, besides its address: those of the base address. Default: none.
    public var hosts: Set<String> = []
    /// The longest body, in bytes. Default: 128 MiB.
    public var maximumBody = 128 << 20
    /// The number of connections at the same time. Default: 256.
    public var connections = 256
    /// The longest time without a byte from a client. Default: 30 seconds.
    public var idleTime = Duration.seconds(30)
    /// The longest time for a whole body. Default: 10 minutes.
    public var bodyTime = Duration.seconds(600)
    /// The files of a certificate chain and its key in PEM, for TLS and HTTP/2; nil for plain HTTP. Default: nil.
    public var certificate: (chain: String, key: String)?

    /// The default settings.
    public init() {}

    /// Whether only programs on this machine reach it.
    public var isLoopback: Bool { Self.isLoopback(address) }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

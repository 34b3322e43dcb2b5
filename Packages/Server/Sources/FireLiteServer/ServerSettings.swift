import FireLiteService
import Foundation

/// Why a server does not start.
public struct ServerError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Other machines reach it, and nobody is asked who may do what.
        public static let open = Code(rawValue: "open")
        /// A file cannot be served as it is.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String

    /// Creates an error with a message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Where a server listens, and whom it lets in before a request is read.
public struct ServerSettings: Sendable {
    /// The address to listen at. Default: the loopback interface.
    public var address = "127.0.0.1"
    /// Whether everybody who reaches an address that is not the loopback interface may do everything that a service without an authorizer, or pages
    /// without sessions, permit. Without it such a server does not start. Default: false.
    public var isOpenToEverybody = false
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

    /// Refuses an address that other machines reach, if there is nobody to ask who may do what.
    ///
    /// - Parameters:
    ///   - service: the service; nil for pages alone.
    ///   - asksForSession: whether the pages ask for a session; nil without pages.
    /// - Throws: ``ServerError``.
    func requireAuthorization(_ service: FHIRService?, asksForSession: Bool?) throws {
        guard !isLoopback, !isOpenToEverybody else { return }
        if let service, service.configuration.authorizer == nil {
            throw ServerError(
                .open,
                "other machines reach \(address), and the service has no authorizer: set FHIRService.Configuration.authorizer, or "
                    + "ServerSettings.isOpenToEverybody if everybody may read and change everything")
        }
        if asksForSession == false {
            throw ServerError(
                .open,
                "other machines reach \(address), and the pages ask for no session: set StoreBrowser.Configuration.sessions, or "
                    + "ServerSettings.isOpenToEverybody if everybody may see everything")
        }
    }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

import Foundation

/// Lets requests in by the fields `Host` and `Origin`, before anything else is read of them.
///
/// A page in a browser cannot set these fields. A name that leads to this machine only for a page (DNS rebinding) is in `Host`; another page's
/// address is in `Origin`.
public struct RequestGate: Sendable {
    /// Why a request is not let in.
    public struct Refusal: Error, Sendable, Equatable {
        /// The status.
        public let status: Int
        /// What is wrong.
        public let text: String
    }

    private let hosts: Set<String>
    private let origins: Set<String>
    private let isLoopback: Bool

    /// Makes a gate.
    ///
    /// - Parameter settings: those of the server.
    public init(_ settings: ServerSettings) {
        isLoopback = settings.isLoopback
        hosts = Set((settings.hosts.union([settings.address])).map { $0.lowercased() })
        origins = Set(settings.origins.map { $0.lowercased() })
    }

    /// Checks the fields of a request.
    ///
    /// - Parameters:
    ///   - host: the field `Host`, or `:authority` of HTTP/2.
    ///   - origin: the field `Origin`; nil if there is none.
    ///   - isSecure: whether the connection is encrypted.
    /// - Returns: the origin to name in the answer, if it is another page's that may use the server.
    /// - Throws: ``Refusal``.
    public func check(host: String?, origin: String?, isSecure: Bool) throws -> String? {
        guard let host, !host.isEmpty else { throw Refusal(status: 400, text: "the request has no field Host") }
        let name = Self.name(host)
        let isKnown =
            hosts.contains(name) || isLoopback && ServerSettings.isLoopback(name) || hosts.contains("0.0.0.0") || hosts.contains("::")
        guard isKnown else {
            throw Refusal(status: 421, text: "the server is not known by the name in the field Host: start it with --base")
        }
        guard let origin else { return nil }
        if origins.contains(origin.lowercased()) { return origin }
        // A page of the server's own.
        if origin.lowercased() == (isSecure ? "https://" : "http://") + host.lowercased() { return nil }
        throw Refusal(status: 403, text: "pages of this origin may not use the server: start it with --cors to allow that")
    }

    /// The name in `Host`, without the port.
    static func name(_ host: String) -> String {
        let host = host.lowercased()
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }
}

import Foundation
import HTTPTypes

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

    private let known: Set<String>
    private let allowed: Set<String>
    private let isLoopback: Bool
    private let takesAnyName: Bool

    /// Makes a gate.
    ///
    /// - Parameter settings: those of the server.
    public init(_ settings: ServerSettings) {
        isLoopback = settings.isLoopback
        known = Set((settings.hosts.union([settings.address])).map { $0.lowercased() })
        takesAnyName = known.contains("0.0.0.0") || known.contains("::")
        allowed = Set(settings.origins.map { $0.lowercased() })
    }

    /// Checks the fields of a request.
    ///
    /// - Parameters:
    ///   - hosts: the values of the field `Host`, or `:authority` of HTTP/2.
    ///   - origins: the values of the field `Origin`.
    ///   - isSecure: whether the connection is encrypted.
    /// - Returns: the origin to name in the answer, if it is another page's that may use the server.
    /// - Throws: ``Refusal``; with status 400 unless there is one host, and at most one origin (RFC 9112, 3.2), as another program in front of the server
    ///   might go by another one.
    public func check(hosts: [String], origins: [String], isSecure: Bool) throws -> String? {
        guard let host = hosts.first, !host.isEmpty else { throw Refusal(status: 400, text: "the request has no field Host") }
        guard hosts.count == 1 else { throw Refusal(status: 400, text: "the request has more than one field Host") }
        guard origins.count <= 1 else { throw Refusal(status: 400, text: "the request has more than one field Origin") }
        let name = Self.name(host)
        let isKnown =
            known.contains(name) || isLoopback && ServerSettings.isLoopback(name) || takesAnyName
        guard isKnown else {
            throw Refusal(status: 421, text: "the server is not known by the name in the field Host: start it with --base")
        }
        guard let origin = origins.first else { return nil }
        if allowed.contains(origin.lowercased()) { return origin }
        // A page of the server's own.
        if origin.lowercased() == (isSecure ? "https://" : "http://") + host.lowercased() { return nil }
        throw Refusal(status: 403, text: "pages of this origin may not use the server: start it with --cors to allow that")
    }

    /// The hosts of a request: of HTTP/1 all fields `Host`; of HTTP/2, which the scheme shows, `:authority` and each `Host` that differs (RFC 9113, 8.3.1).
    static func hosts(of head: HTTPRequest) -> [String] {
        var hosts = head.authority.map { [$0] } ?? []
        for field in head.headerFields where field.name.canonicalName == "host" {
            if let authority = head.authority, head.scheme == "https", field.value.lowercased() == authority.lowercased() { continue }
            hosts.append(field.value)
        }
        return hosts
    }

    /// The name in `Host`, without the port.
    static func name(_ host: String) -> String {
        let host = host.lowercased()
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }
}

import Foundation

/// Where a token may go: scheme, host and port of an address (RFC 6454).
package struct Origin: Sendable, Hashable {
    package let scheme: String
    package let host: String
    package let port: Int

    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty, scheme == "https" || scheme == "http"
        else { return nil }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether nobody else can read what is sent there: HTTPS, or the machine itself.
    var isPrivate: Bool { scheme == "https" || isLoopback }

    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

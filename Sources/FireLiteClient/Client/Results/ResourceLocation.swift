import Foundation

/// The type, id and version that an address of a resource ends with: `…/Patient/1/_history/2`.
package struct ResourceLocation: Sendable, Hashable {
    package let typeName: String
    package let id: String
    package let version: String?

    /// - Returns: also nil for the address of another server.
    package init?(_ location: String?, at server: Origin) {
        guard let location else { return nil }
        // Proxies change schemes and ports.
        if location.contains("://"), URL(string: location).flatMap({ Origin($0) })?.host != server.host { return nil }
        self.init(location)
    }

    package init?(_ location: String?) {
        guard let location else { return nil }
        var parts = location.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map(String.init)
        var version: String?
        if parts.count >= 4, parts[parts.count - 2] == "_history" {
            version = parts.last
            parts.removeLast(2)
        }
        guard parts.count >= 2, let id = parts.last, parts[parts.count - 2].first?.isUppercase == true else { return nil }
        typeName = parts[parts.count - 2]
        self.id = id
        self.version = version
    }
}

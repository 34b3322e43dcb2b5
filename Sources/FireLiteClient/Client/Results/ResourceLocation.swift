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
        if location.utf8.contains(UInt8(ascii: ":")), location.contains("://"),
            URL(string: location).flatMap({ Origin($0) })?.host != server.host
        {
            return nil
        }
        self.init(location)
    }

    package init?(_ location: String?) {
        guard let location else { return nil }
        var parts = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.split(separator: UInt8(ascii: "/"))
        var version: String?
        if parts.count >= 4, parts[parts.count - 2].elementsEqual("_history".utf8) {
            version = parts.last.flatMap { String($0) }
            parts.removeLast(2)
        }
        guard parts.count >= 2, let id = parts.last.flatMap({ String($0) }), let typeName = String(parts[parts.count - 2]),
            typeName.first?.isUppercase == true
        else { return nil }
        (self.typeName, self.id, self.version) = (typeName, id, version)
    }
}

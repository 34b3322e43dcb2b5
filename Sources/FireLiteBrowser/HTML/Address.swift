import FireLiteCore
import Foundation

/// An address within the browser: the segments of a path, and parameters.
struct Address: Sendable, Hashable {
    /// A parameter.
    struct Item: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// The first segment of every page.
    static let root = "browse"

    var segments: [String]
    var items: [Item]
    var fragment: String?

    init(_ segments: String..., items: [Item] = []) { self.init(segments, items: items) }

    init(_ segments: [String], items: [Item] = []) {
        self.segments = segments
        self.items = items
    }

    /// The address of a resource, or of a page about it.
    static func resource(_ type: String, _ id: String, _ more: String...) -> Address { Address([type, id] + more) }

    func with(_ name: String, _ value: String) -> Address {
        var copy = without(name)
        copy.items.append(Item(name: name, value: value))
        return copy
    }

    func adding(_ name: String, _ value: String) -> Address {
        var copy = self
        copy.items.append(Item(name: name, value: value))
        return copy
    }

    func without(_ name: String) -> Address {
        var copy = self
        copy.items.removeAll { $0.name == name }
        return copy
    }

    func at(_ fragment: String) -> Address {
        var copy = self
        copy.fragment = fragment
        return copy
    }

    subscript(name: String) -> String? { items.last { $0.name == name }?.value }

    /// The path with the query.
    var text: String {
        var text = "/" + ([Self.root] + segments.map(Self.encoded)).joined(separator: "/")
        if !items.isEmpty { text += "?" + items.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&") }
        if let fragment { text += "#" + Self.encoded(fragment) }
        return text
    }

    // MARK: - Percent-encoding (RFC 3986)

    /// Escapes all but unreserved characters, and those that a query may have and a search reads better with.
    static func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }

    private static let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:,$*|")

    /// Reads the target of a request; nil if it is not percent-encoded UTF-8, or has more parameters than a page of the browser uses.
    init?(target: String) {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        segments = []
        items = []
        for part in (halves.first ?? "").split(separator: "/") {
            guard let segment = Self.decoded(part) else { return nil }
            segments.append(segment)
        }
        if halves.count > 1 {
            guard let read = Self.items(String(halves[1])) else { return nil }
            items = read
        }
    }

    /// The parameters of a query or a form. Those without a value, which an empty field of a form sends, are left out.
    ///
    /// - Parameter keepsEmpty: whether those without a value are kept.
    static func items(_ text: String, keepsEmpty: Bool = false) -> [Item]? {
        var items: [Item] = []
        for pair in text.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? sides[1].replacingBytes("+", with: " ") : ""
            guard let name = decoded(sides[0]), let value = decoded(value[...]), items.count < 1_000 else { return nil }
            if keepsEmpty || !value.isEmpty { items.append(Item(name: name, value: value)) }
        }
        return items
    }

    private static func decoded(_ text: Substring) -> String? {
        text.removingPercentEncoding.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}

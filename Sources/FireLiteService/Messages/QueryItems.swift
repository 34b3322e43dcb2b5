import FireLiteSearch
import Foundation

/// The parameters of an address or of a form, decoded, in their order.
struct QueryItems: Sendable {
    private(set) var all: [SearchRequest.Parameter] = []

    init() {}

    /// - Parameter text: `name=value&name=value`, percent-encoded.
    /// - Throws: `ServiceFault` with status 400 for text that is not percent-encoded UTF-8, or has the character U+0000.
    init(_ text: Substring, maximum: Int = 1_000) throws {
        // By bytes, as an address is one of bytes.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = sides.first.flatMap(Self.decoded), let value = sides.count > 1 ? Self.decoded(sides[1]) : "" else {
                throw ServiceFault(400, "invalid", "a parameter is not percent-encoded UTF-8")
            }
            guard !name.utf8.contains(0), !value.utf8.contains(0) else {
                throw ServiceFault(400, "invalid", "a parameter has the character U+0000 (%00), which no value in FHIR can have")
            }
            guard !name.isEmpty else { throw ServiceFault(400, "invalid", "a parameter has no name") }
            guard all.count < maximum else { throw ServiceFault(400, "too-costly", "the request has more than \(maximum) parameters") }
            all.append(SearchRequest.Parameter(name: name, value: value))
        }
    }

    init(_ text: String) throws { try self.init(text[...]) }

    /// The parameters of a condition, such as that of a header field: with or without an address before them.
    ///
    /// - Throws: as ``init(_:maximum:)``.
    init(condition text: String) throws {
        // A question mark after the first equals sign is one of a value.
        let mark = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "=") }
        let hasAddress = mark.map { text.utf8[$0] == UInt8(ascii: "?") } ?? false
        try self.init(mark.flatMap { hasAddress ? text[text.utf8.index(after: $0)...] : nil } ?? text[...])
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? { AddressText.decoded(Substring(text), isForm: true) }

    /// The last value of a name; nil if there is none.
    func last(_ name: String) -> String? { all.last { $0.name == name }?.value }

    func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// The words of a parameter that lists them with commas, in all its repetitions.
    func words(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",").map { HeaderElement.trimmed($0) }.filter { !$0.isEmpty } }
    }

    mutating func append(_ other: QueryItems) { all += other.all }

    func appending(_ other: QueryItems) -> QueryItems {
        var items = self
        items.append(other)
        return items
    }

    mutating func append(_ name: String, _ value: String) { all.append(SearchRequest.Parameter(name: name, value: value)) }

    /// Those that say what to find, without those that say how the answer looks.
    var conditions: [SearchRequest.Parameter] { all.filter { !Self.presentation.contains($0.name) } }

    /// Parameters of every interaction (FHIR, RESTful API, General Parameters).
    static let presentation: Set<String> = ["_format", "_pretty", "_summary", "_elements"]

    /// The text for an address.
    static func encoded(_ parameters: [SearchRequest.Parameter]) -> String {
        parameters.map { "\(AddressText.encoded($0.name))=\(AddressText.encoded($0.value))" }.joined(separator: "&")
    }
}

/// A reference to a definition by its canonical URL, such as `http://hl7.org/fhir/ValueSet/languages|4.0.1#part`: the address, the business version
/// after `|` and the fragment after `#`, as FHIR's page References describes.
public struct Canonical: Hashable, Sendable, CustomStringConvertible {
    /// The address without version and fragment.
    public var url: String
    /// The business version after `|`; nil if the reference leaves it open.
    public var version: String?
    /// The text after `#`, without it; nil if there is none.
    public var fragment: String?

    /// A reference from its parts.
    public init(url: String, version: String? = nil, fragment: String? = nil) {
        (self.url, self.version, self.fragment) = (url, version, fragment)
    }

    /// Splits a canonical reference into its parts. An empty version or fragment counts as absent.
    ///
    /// An implicit value set of SNOMED CT is its whole URL, as an expression has bars and hashes of its own.
    public init(_ text: String) {
        // By bytes, as a validation splits many references.
        let bytes = text.utf8
        let hasParts = bytes.withContiguousStorageIfAvailable(Self.hasParts) ?? Self.hasParts(bytes)
        guard hasParts, !bytes.contains(UInt8(ascii: "?")) || !text.contains("?fhir_vs=ecl/") else {
            url = text
            return
        }
        var rest = bytes[...]
        if let mark = rest.lastIndex(of: UInt8(ascii: "#")) {
            fragment = Self.part(rest[mark...].dropFirst())
            rest = rest[..<mark]
        }
        if let bar = rest.firstIndex(of: UInt8(ascii: "|")) {
            version = Self.part(rest[bar...].dropFirst())
            rest = rest[..<bar]
        }
        url = String(Substring(rest))
    }

    private static func hasParts(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "|") }
    }

    private static func part(_ bytes: Substring.UTF8View) -> String? { bytes.isEmpty ? nil : String(Substring(bytes)) }

    /// The reference as FHIR writes it: `url|version#fragment`.
    public var description: String {
        url + (version.map { "|" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    }
}

/// What a reference's text says: where the resource is, its type and its id (<https://hl7.org/fhir/references.html#literal>).
///
/// ```swift
/// ReferenceParts("Patient/1/_history/2").id     // "1"
/// ```
public struct ReferenceParts: Sendable, Hashable {
    /// The form of a reference.
    public enum Form: Sendable {
        /// `Patient/1`
        case relative
        /// `https://example.org/fhir/Patient/1`
        case absolute
        /// `#med1`, or `#` for the resource that contains the one with the reference
        case contained
        /// `urn:uuid:…`
        case uuid
        /// `urn:oid:…`
        case oid
        /// Anything else: a search (`Patient?identifier=…`), a URL that ends in no type and id
        case other
    }

    public let form: Form
    /// The address before the type: `https://example.org/fhir`.
    public private(set) var base: String?
    /// The type of the resource, for relative and absolute references.
    public private(set) var type: String?
    /// The logical id of the resource; of a contained one without the `#`, and nil for `#` alone; of a `urn:` what follows its prefix.
    public private(set) var id: String?
    /// The version of the resource, `2` in `Patient/1/_history/2`.
    public private(set) var version: String?

    /// The parts of any text; a text of no known form is `other`.
    public init(_ reference: String) {
        if reference.utf8.first == UInt8(ascii: "#") {
            form = .contained
            id = reference.utf8.count > 1 ? String(reference.dropFirst()) : nil
            return
        }
        if let uuid = Self.rest(of: reference, after: "urn:uuid:") {
            form = PrimitiveFormat.isUUID(uuid.utf8, allowsCapitals: true) ? .uuid : .other
            id = form == .uuid ? String(uuid) : nil
            return
        }
        if let oid = Self.rest(of: reference, after: "urn:oid:") {
            form = PrimitiveFormat.isOID(oid.utf8) ? .oid : .other
            id = form == .oid ? String(oid) : nil
            return
        }
        var segments = reference.split(separator: "/", omittingEmptySubsequences: false)
        var version: Substring?
        if segments.count >= 4, segments[segments.count - 2] == "_history" {
            version = segments.removeLast()
            segments.removeLast()
        }
        guard segments.count >= 2, Self.isTypeName(segments[segments.count - 2]), Self.isId(segments[segments.count - 1]),
            version.map(Self.isId) ?? true
        else {
            form = .other
            return
        }
        id = String(segments.removeLast())
        type = String(segments.removeLast())
        self.version = version.map(String.init)
        if segments.isEmpty {
            form = .relative
        } else if segments.count >= 3, segments[0].utf8.last == UInt8(ascii: ":"), segments[0].utf8.count > 1, segments[1].isEmpty {
            form = .absolute
            base = segments.joined(separator: "/")
        } else {
            form = .other
            (id, type, self.version) = (nil, nil, nil)
        }
    }

    private static func rest(of reference: String, after prefix: String) -> Substring? {
        reference.hasPrefix(prefix) ? reference.dropFirst(prefix.count) : nil
    }

    private static func isTypeName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first &- 65 < 26 else { return false }
        return text.utf8.allSatisfy { ($0 | 0x20) &- 97 < 26 }
    }

    private static func isId(_ text: Substring) -> Bool { PrimitiveFormat.isId(text.utf8) }
}

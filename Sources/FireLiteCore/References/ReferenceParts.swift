/// The parts of a reference's text: the resource's address, type and id (<https://hl7.org/fhir/references.html#literal>).
///
/// ```swift
/// ReferenceParts("Patient/1/_history/2").id     // "1"
/// ```
public struct ReferenceParts: Sendable, Hashable {
    /// The form of a reference.
    public enum Form: Sendable {
        /// `Patient/1`
        case relative
        /// `https://example.org/fhir/Patient/1`: an `http` or `https` URL
        case absolute
        /// `#med1`, or `#` for the container of the resource with the reference
        case contained
        /// `urn:uuid:…`
        case uuid
        /// `urn:oid:…`
        case oid
        /// Anything else: a search (`Patient?identifier=…`), a URL of another scheme, or one that does not end in a type and id
        case other
    }

    /// The form of the reference.
    public let form: Form
    /// The address before the type: `https://example.org/fhir`.
    public private(set) var base: String?
    /// The type of the resource, for relative and absolute references.
    public private(set) var type: String?
    /// The logical id of the resource: for a contained one without the `#`, and nil for `#` alone; for a `urn:` the text after its prefix.
    public private(set) var id: String?
    /// The version of the resource, `2` in `Patient/1/_history/2`.
    public private(set) var version: String?

    /// Splits any text; a text of unknown form becomes `other`.
    public init(_ reference: String) {
        var reference = reference
        self = reference.withUTF8 { Self($0) }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        if bytes.first == UInt8(ascii: "#") {
            form = .contained
            id = bytes.count > 1 ? text(1..<bytes.count) : nil
        } else if let uuid = Self.uuid(in: bytes) {
            form = .uuid
            id = text(uuid)
        } else if bytes.starts(with: Self.oidPrefix.utf8), PrimitiveFormat.isOID(bytes[Self.oidPrefix.utf8.count...]) {
            form = .oid
            id = text(Self.oidPrefix.utf8.count..<bytes.count)
        } else if let literal = LiteralReference(bytes) {
            form = literal.baseEnd == 0 ? .relative : .absolute
            base = literal.baseEnd == 0 ? nil : text(0..<literal.baseEnd)
            type = text(literal.type)
            id = text(literal.id)
            version = literal.version.map(text)
        } else {
            form = .other
        }
    }

    package static let uuidPrefix = "urn:uuid:"
    private static let oidPrefix = "urn:oid:"

    /// The position of the UUID in `urn:uuid:…`; nil for other references.
    static func uuid(in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let start = uuidPrefix.utf8.count
        guard bytes.count == start + 36, bytes.starts(with: uuidPrefix.utf8),
            PrimitiveFormat.isUUID(bytes[start...], allowsCapitals: true)
        else { return nil }
        return start..<bytes.count
    }
}

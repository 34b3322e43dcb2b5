/// The positions of type, id and version in a reference such as `Patient/1` or `https://example.org/fhir/Patient/1/_history/2`.
///
/// This is the one definition of references to a resource by type and id: `ReferenceParts`, `resolve`, and the conditions
/// `refers`, `target` and `isReferred` all use it. It follows the regular expression of <https://hl7.org/fhir/references.html#literal>:
/// a base address begins with `http://` or `https://`, in lower case, and a host, and has no query and no fragment.
package struct LiteralReference {
    /// The end of the base address, without the slash; 0 if there is none.
    let baseEnd: Int
    package let type: Range<Int>
    package let id: Range<Int>
    let version: Range<Int>?

    private static let slash = UInt8(ascii: "/")

    /// Nil for every other text.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard var (start, end) = Self.segment(bytes, before: bytes.count) else { return nil }
        var last = start..<end
        var version: Range<Int>?
        if let marker = Self.segment(bytes, before: start - 1), Self.isHistory(bytes, marker.0..<marker.1) {
            version = last
            guard let segment = Self.segment(bytes, before: marker.0 - 1) else { return nil }
            (start, end) = segment
            last = start..<end
        }
        guard let type = Self.segment(bytes, before: start - 1), Self.isTypeName(bytes, type.0..<type.1),
            PrimitiveFormat.isId(bytes[last]), version.map({ PrimitiveFormat.isId(bytes[$0]) }) ?? true
        else { return nil }
        baseEnd = max(type.0 - 1, 0)
        if type.0 > 0, !Self.isBase(UnsafeBufferPointer(rebasing: bytes[..<baseEnd])) { return nil }
        (self.type, id, self.version) = (type.0..<type.1, last, version)
    }

    /// The segment that ends at a position, without slashes; nil if there is none.
    private static func segment(_ bytes: UnsafeBufferPointer<UInt8>, before end: Int) -> (Int, Int)? {
        guard end >= 0, end <= bytes.count else { return nil }
        var start = end
        while start > 0, bytes[start - 1] != slash { start -= 1 }
        return (start, end)
    }

    private static func isHistory(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        let name: StaticString = "_history"
        guard range.count == name.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
        return sameBytes(start + range.lowerBound, name.utf8Start, range.count)
    }

    private static func isTypeName(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = bytes[range].first, first &- 65 < 26 else { return false }
        return bytes[range].allSatisfy { ($0 | 0x20) &- 97 < 26 }
    }

    private static func isBase(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for scheme in ["http://", "https://"] as [StaticString] {
            let count = scheme.utf8CodeUnitCount
            guard bytes.count > count, let start = bytes.baseAddress, sameBytes(start, scheme.utf8Start, count) else { continue }
            // Text after a question mark or a number sign is not a path; a slash here would be an address without a host.
            return bytes[count] != slash && !bytes.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        }
        return false
    }
}

extension LiteralReference {
    /// The id of the stored resource of a type that a reference points to: the id of `Type/id` in any of its forms, or the text after
    /// `urn:uuid:`; nil for all other references.
    package static func id(in bytes: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        if let uuid = ReferenceParts.uuid(in: bytes) { return uuid }
        guard let literal = LiteralReference(bytes), literal.type.count == type.count, type.elementsEqual(bytes[literal.type]) else {
            return nil
        }
        return literal.id
    }
}

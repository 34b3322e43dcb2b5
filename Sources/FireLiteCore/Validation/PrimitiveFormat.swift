/// The formats of FHIR's primitives (<https://hl7.org/fhir/datatypes.html#primitive>), if the type of the value does not ensure them.
enum PrimitiveFormat {
    /// The maximum length of a string, in characters.
    static let maximumStringLength = 1_048_576

    /// Whether a text is a value of the type.
    static func isValid(_ text: String, as type: PrimitiveType) -> Bool {
        let bytes = text.utf8
        switch type {
        case .string, .markdown: return isString(bytes)
        case .code: return isCode(text)
        case .id: return isId(bytes)
        case .uri, .url, .canonical: return !bytes.isEmpty && !hasSpace(text)
        case .oid: return text.hasPrefix("urn:oid:") && isOID(bytes.dropFirst(8))
        case .uuid: return text.hasPrefix("urn:uuid:") && isUUID(bytes.dropFirst(9), allowsCapitals: false)
        case .base64Binary: return bytes.withContiguousStorageIfAvailable { isBase64($0) } ?? isBase64(bytes)
        case .xhtml: return isXHTML(bytes)
        case .boolean: return text == "true" || text == "false"
        case .decimal: return FHIRDecimal(text) != nil
        case .integer, .positiveInt, .unsignedInt, .integer64: return Int64(text).map { type.integerRange.contains($0) } ?? false
        case .date, .dateTime, .instant, .time: return SlotValue(literal: text, type) != nil
        }
    }

    /// Non-empty text, with no control characters but tab, line feed and carriage return.
    private static func isString(_ bytes: String.UTF8View) -> Bool {
        guard !bytes.isEmpty, allSatisfy(bytes, { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return false }
        guard bytes.count > maximumStringLength else { return true }
        let continuations = bytes.count { $0 & 0xC0 == 0x80 }
        return bytes.count - continuations <= maximumStringLength
    }

    /// Whether all bytes of a text pass a test: in place, which is faster than to step from one to the next.
    @inline(__always)
    private static func allSatisfy(_ bytes: String.UTF8View, _ test: (UInt8) -> Bool) -> Bool {
        bytes.withContiguousStorageIfAvailable { $0.allSatisfy(test) } ?? bytes.allSatisfy(test)
    }

    /// Whether a text has white space.
    private static func hasSpace(_ text: String) -> Bool {
        if allSatisfy(text.utf8, { $0 > 0x20 && $0 < 0x80 }) { return false }
        return text.unicodeScalars.contains(where: isSpace)
    }

    /// Words separated by single white-space characters.
    private static func isCode(_ text: String) -> Bool {
        // Most codes are one word.
        if !text.isEmpty, allSatisfy(text.utf8, { $0 > 0x20 && $0 < 0x80 }) { return true }
        var isAfterSpace = true
        for scalar in text.unicodeScalars {
            let isSpace = isSpace(scalar)
            if isSpace, isAfterSpace { return false }
            isAfterSpace = isSpace
        }
        return !isAfterSpace
    }

    /// 1 to 64 letters, digits, hyphens and full stops.
    static func isId(_ bytes: some Collection<UInt8>) -> Bool {
        (1...64).contains(bytes.count)
            && bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    /// Numbers separated by full stops, the first from 0 to 2, none with a leading zero.
    static func isOID(_ bytes: some Collection<UInt8>) -> Bool {
        let arcs = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard arcs.count > 1, let root = arcs.first, root.count == 1, let first = root.first, first &- 48 < 3 else { return false }
        return arcs.allSatisfy { arc in
            arc.allSatisfy(isDigit) && (arc.count == 1 || arc.first.map { $0 != UInt8(ascii: "0") } ?? false)
        }
    }

    /// 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    static func isUUID(_ bytes: some Collection<UInt8>, allowsCapitals: Bool) -> Bool {
        let groups = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
        return groups.joined().allSatisfy { byte in
            isDigit(byte) || byte &- 97 < 6 || (allowsCapitals && byte &- 65 < 6)
        }
    }

    /// Groups of four digits of base 64, the last padded, with white space anywhere.
    private static func isBase64(_ bytes: some Collection<UInt8>) -> Bool {
        var digits = 0
        var padding = 0
        for byte in bytes {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "="): padding += 1
            case UInt8(ascii: "+"), UInt8(ascii: "/"): digits += 1
            default:
                guard isLetter(byte) || isDigit(byte) else { return false }
                digits += 1
            }
            if padding > 0, byte != UInt8(ascii: "=") { return false }
        }
        return digits > 0 && padding <= 2 && (digits + padding) % 4 == 0
    }

    /// One element `div`. Its content is left to an XML parser.
    private static func isXHTML(_ bytes: String.UTF8View) -> Bool {
        let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
        let start = bytes.drop(while: isSpace)
        guard start.starts(with: "<div".utf8), let after = start.dropFirst(4).first,
            isSpace(after) || after == UInt8(ascii: ">") || after == UInt8(ascii: "/")
        else { return false }
        let end = bytes.reversed().drop(while: isSpace)
        return end.starts(with: "</div>".utf8.reversed()) || end.starts(with: "/>".utf8.reversed())
    }

    /// Whether a scalar has Unicode's property White_Space, whose table is only asked beyond ASCII.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }
}

/// Makes XML of the bytes of Apple's `export.xml`, which is none: drops the document type, whose declarations are broken in many versions, and
/// control characters, escapes ampersands that begin no entity, and replaces bytes that are not UTF-8. Lines keep their numbers.
struct ExportFilter {
    private enum Place {
        /// Before the first element.
        case prolog
        /// After `<!DOCTYPE`.
        case documentType
        /// Between the brackets of the document type.
        case declarations
        /// After `]`, where `>` ends the document type.
        case closing
        case content
    }

    /// The longest entity or character reference, `&#x10FFFF;`.
    private static let longestEntity = 10
    private static let doctype = [UInt8]("<!DOCTYPE".utf8)
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    /// The bytes that are copied without a look at what surrounds them.
    private static let isPlain: [Bool] = (0..<256).map { byte in
        byte == 9 || byte == 10 || byte == 13 || 32..<128 ~= byte && byte != 38
    }

    private var place = Place.prolog
    /// The end of the last chunk, which depends on what follows.
    private var rest: [UInt8] = []

    /// Whether the document type has begun and not ended.
    var isInDocumentType: Bool { place == .documentType || place == .declarations || place == .closing }

    /// Appends what becomes of a chunk.
    ///
    /// - Parameters:
    ///   - chunk: the next bytes.
    ///   - isLast: whether nothing follows.
    ///   - output: receives the bytes.
    mutating func filter(_ chunk: UnsafeBufferPointer<UInt8>, isLast: Bool, into output: inout [UInt8]) {
        guard !rest.isEmpty else { return filterAll(chunk, isLast, &output) }
        let joined = rest + chunk
        rest.removeAll()
        joined.withUnsafeBufferPointer { filterAll($0, isLast, &output) }
    }

    private mutating func filterAll(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool, _ output: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let next = place == .content ? content(bytes, index, isLast, &output) : beginning(bytes, index, isLast, &output)
            guard let next else {
                rest = Array(bytes[index...])
                return
            }
            index = next
        }
    }

    // MARK: - The document type

    /// Handles a byte before the first element, or of the document type.
    ///
    /// - Returns: the place after it; nil if it depends on what follows.
    private mutating func beginning(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isLast: Bool, _ output: inout [UInt8]
    ) -> Int? {
        let byte = bytes[index]
        switch place {
        case .content: return index
        case .prolog:
            if byte == UInt8(ascii: "<") {
                let known = bytes[index...].prefix(Self.doctype.count)
                if Self.doctype.starts(with: known) {
                    if known.count == Self.doctype.count {
                        place = .documentType
                        return index + known.count
                    }
                    if !isLast { return nil }
                }
                if known.count < 2, !isLast { return nil }
                // Instructions and comments may precede it.
                if known.count < 2 || known[index + 1] != UInt8(ascii: "?") && known[index + 1] != UInt8(ascii: "!") { place = .content }
            }
            if Self.isPlain[Int(byte)] { output.append(byte) }
        case .documentType:
            if byte == UInt8(ascii: "[") { place = .declarations }
            if byte == UInt8(ascii: ">") { place = .content }
            if byte == 10 { output.append(10) }
        case .declarations:
            if byte == UInt8(ascii: "]") { place = .closing }
            if byte == 10 { output.append(10) }
        case .closing:
            switch byte {
            case UInt8(ascii: ">"): place = .content
            case 9, 13, 32, UInt8(ascii: "]"): break
            case 10: output.append(10)
            default: place = .declarations
            }
        }
        return index + 1
    }

    // MARK: - Content

    /// Handles the bytes up to the next special one, or a special one.
    private func content(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isLast: Bool, _ output: inout [UInt8]) -> Int? {
        var end = index
        Self.isPlain.withUnsafeBufferPointer { isPlain in
            while end < bytes.count, isPlain[Int(bytes[end])] { end += 1 }
        }
        if end > index {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<end]))
            return end
        }
        let byte = bytes[index]
        if byte == UInt8(ascii: "&") { return entity(bytes, index, isLast, &output) }
        return byte < 128 ? index + 1 : character(bytes, index, isLast, &output)
    }

    private func entity(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isLast: Bool, _ output: inout [UInt8]) -> Int? {
        let ahead = bytes[index...].prefix(Self.longestEntity)
        guard let end = ahead.firstIndex(of: UInt8(ascii: ";")) else {
            if ahead.count < Self.longestEntity, !isLast { return nil }
            output.append(contentsOf: "&amp;".utf8)
            return index + 1
        }
        let name = ahead[(index + 1)..<end]
        if name.first == UInt8(ascii: "#") {
            guard let code = Self.code(name.dropFirst()) else {
                output.append(contentsOf: "&amp;".utf8)
                return index + 1
            }
            // A character that XML does not have is dropped with its reference.
            if Self.isAllowed(code) { output.append(contentsOf: ahead[index...end]) }
        } else if ["amp", "lt", "gt", "quot", "apos"].contains(where: { name.elementsEqual($0.utf8) }) {
            output.append(contentsOf: ahead[index...end])
        } else {
            output.append(contentsOf: "&amp;".utf8)
            return index + 1
        }
        return end + 1
    }

    private static func code(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        let text = String(decoding: digits, as: UTF8.self)
        return text.first == "x" ? UInt32(text.dropFirst(), radix: 16) : UInt32(text)
    }

    /// Whether XML 1.0 has a character.
    private static func isAllowed(_ code: UInt32) -> Bool {
        switch code {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Handles a character beyond ASCII.
    private func character(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isLast: Bool, _ output: inout [UInt8]) -> Int? {
        let byte = bytes[index]
        let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
        var end = index + 1
        while end < bytes.count, end < index + length, bytes[end] & 0xC0 == 0x80 { end += 1 }
        if end == bytes.count, end < index + length, byte >= 0xC2, !isLast { return nil }
        let character = UnsafeBufferPointer(rebasing: bytes[index..<end])
        var decoder = UTF8()
        var iterator = character.makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&iterator), UTF8.width(scalar) == character.count, Self.isAllowed(scalar.value) {
            output.append(contentsOf: character)
            return end
        }
        output.append(contentsOf: Self.replacement)
        return index + 1
    }
}

/// Makes XML of the bytes of Apple's `export.xml`, which is none: drops the document type, whose declarations are broken in many versions, and
/// control characters, escapes ampersands that begin no entity, and replaces bytes that are not UTF-8. Lines keep their numbers.
///
/// Long comments, CDATA sections and processing instructions say nothing about samples and are dropped too: the parser reports each pair of dashes in a
/// comment as an error of its own, which takes minutes for a few megabytes.
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

    /// Something that is dropped whole.
    private struct Dropped {
        /// The byte that precedes `>` at its end, and how often it must.
        let mark: UInt8
        let count: Int
        /// How many of them came last.
        var seen = 0
    }

    private static let dropped: [(beginning: [UInt8], end: Dropped)] = [
        ([UInt8]("<!--".utf8), Dropped(mark: UInt8(ascii: "-"), count: 2)),
        ([UInt8]("<![CDATA[".utf8), Dropped(mark: UInt8(ascii: "]"), count: 2)),
    ]
    private static let instruction = Dropped(mark: UInt8(ascii: "?"), count: 1)

    /// The most bytes from the beginning of one element to that of the next: the parser keeps them, and some versions compare each attribute with
    /// each. Apple's have less than two thousand.
    static let longestElement = 1 << 18

    /// The longest comment that stays.
    private static let longestComment = 1_024

    /// The longest entity or character reference, `&#x10FFFF;`.
    private static let longestEntity = 10
    private static let doctype = [UInt8]("<!DOCTYPE".utf8)
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    /// The bytes that are copied without a look at what surrounds them.
    private static let isPlain: [Bool] = (0..<256).map { byte in
        byte == 9 || byte == 10 || byte == 13 || 32..<128 ~= byte && byte != 38 && byte != 60
    }

    private var place = Place.prolog
    /// What is being dropped.
    private var dropping: Dropped?
    /// The number of bytes since the beginning of an element.
    private var elementSize = 0
    /// Whether an element is longer than ``longestElement``. What follows is of no use.
    private(set) var hasOverlongElement = false
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
        while index < bytes.count, !hasOverlongElement {
            if dropping != nil {
                index = drop(bytes, index, &output)
                continue
            }
            let next =
                place == .content
                ? content(bytes, index: index, isLast: isLast, output: &output)
                : beginning(bytes, index: index, isLast: isLast, output: &output)
            guard let next else {
                rest = Array(bytes[index...])
                return
            }
            index = next
        }
    }

    // MARK: - What is dropped

    /// Begins to drop what begins at a `<`.
    ///
    /// - Returns: the place behind its beginning; nil if it depends on what follows; the same place if nothing is dropped here.
    private mutating func beginDropping(
        _ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]
    ) -> Int? {
        for (beginning, end) in Self.dropped {
            let known = bytes[index...].prefix(beginning.count)
            guard beginning.starts(with: known) else { continue }
            if known.count == beginning.count {
                if end.mark == UInt8(ascii: "-") {
                    guard let kept = shortComment(bytes, index, isLast) else { return nil }
                    if kept > index {
                        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<kept]))
                        return kept
                    }
                }
                dropping = end
                return index + known.count
            }
            if !isLast { return nil }
        }
        return index
    }

    /// The end of a comment that can stay: a short one without dashes or anything that XML does not have.
    ///
    /// - Returns: nil if it depends on what follows; the beginning for a comment that cannot stay.
    private func shortComment(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ isLast: Bool) -> Int? {
        let limit = min(bytes.count, start + Self.longestComment)
        var index = start + Self.dropped[0].beginning.count
        while index < limit {
            let byte = bytes[index]
            if byte == UInt8(ascii: "-"), index + 2 < limit, bytes[index + 1] == byte {
                return bytes[index + 2] == UInt8(ascii: ">") ? index + 3 : start
            }
            guard byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || Self.isPlain[Int(byte)] else { return start }
            index += 1
        }
        return isLast || limit == start + Self.longestComment ? start : nil
    }

    /// Drops bytes up to the end of what is dropped, and keeps the line breaks.
    private mutating func drop(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ output: inout [UInt8]) -> Int {
        guard var dropped = dropping else { return start }
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == dropped.mark {
                dropped.seen += 1
            } else if byte == UInt8(ascii: ">"), dropped.seen >= dropped.count {
                dropping = nil
                return index
            } else {
                dropped.seen = 0
                if byte == 10 { output.append(10) }
            }
        }
        dropping = dropped
        return index
    }

    // MARK: - The document type

    /// Handles a byte before the first element, or of the document type.
    ///
    /// - Returns: the place after it; nil if it depends on what follows.
    private mutating func beginning(
        _ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]
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
                guard let next = beginDropping(bytes, index: index, isLast: isLast, output: &output) else { return nil }
                if next > index { return next }
                // Instructions and comments may precede it.
                if known.count < 2 || known[index + 1] != UInt8(ascii: "?") && known[index + 1] != UInt8(ascii: "!") { place = .content }
            }
            if Self.isPlain[Int(byte)] || byte == UInt8(ascii: "<") { output.append(byte) }
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
    private mutating func content(_ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]) -> Int? {
        let end = endOfRun(bytes, index)
        if end > index {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<end]))
            return end
        }
        elementSize += 1
        hasOverlongElement = elementSize > Self.longestElement
        let byte = bytes[index]
        if byte == UInt8(ascii: "<") { return element(bytes, index: index, isLast: isLast, output: &output) }
        if byte == UInt8(ascii: "&") { return entity(bytes, index: index, isLast: isLast, output: &output) }
        return byte < 128 ? index + 1 : character(bytes, index: index, isLast: isLast, output: &output)
    }

    /// The end of the bytes that are copied as they are: plain ones, beginnings of elements, and XML's own entities.
    private mutating func endOfRun(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var index = start
        // Where the bytes begin that `elementSize` does not count yet.
        var mark = start
        while true {
            index = Self.endOfPlain(bytes, index)
            guard index + 1 < bytes.count else { break }
            let next = bytes[index + 1]
            if bytes[index] == UInt8(ascii: "<"), next != UInt8(ascii: "!"), next != UInt8(ascii: "?") {
                elementSize += index - mark
                if elementSize > Self.longestElement { break }
                elementSize = 0
                index += 1
                mark = index
            } else if bytes[index] == UInt8(ascii: "&"), let end = Self.endOfEntity(bytes, index) {
                index = end
            } else {
                break
            }
        }
        if index > mark { elementSize += index - mark }
        hasOverlongElement = elementSize > Self.longestElement
        return index
    }

    /// The place of the first byte that is not plain, looking at eight of them at once.
    private static func endOfPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        guard let base = bytes.baseAddress else { return start }
        var index = start
        while index + 8 <= bytes.count {
            let special = specialBytes(UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)))
            if special == 0 {
                index += 8
                continue
            }
            index += special.trailingZeroBitCount / 8
            // Line ends are plain too, and rare.
            guard base[index] == 9 || base[index] == 10 || base[index] == 13 else { return index }
            index += 1
        }
        while index < bytes.count, isPlain[Int(bytes[index])] { index += 1 }
        return index
    }

    /// Bits of which the lowest is in the first byte that is a control character, `<`, `&` or not ASCII; 0 if there is none.
    ///
    /// A subtraction borrows from a byte only if the one below is special itself, so the lowest bit is always right.
    @inline(__always)
    private static func specialBytes(_ block: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highest = ones << 7
        let less = block ^ (ones &* UInt64(UInt8(ascii: "<")))
        let ampersand = block ^ (ones &* UInt64(UInt8(ascii: "&")))
        let isControl = (block &- ones &* 32) & ~block
        let isMarkup = ((less &- ones) & ~less) | ((ampersand &- ones) & ~ampersand)
        return (block | isControl | isMarkup) & highest
    }

    /// The end of one of XML's five entities; nil if another one, or none, begins here.
    private static func endOfEntity(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        for entity in entities where start + entity.count <= bytes.count {
            var index = 0
            while index < entity.count, bytes[start + index] == entity[index] { index += 1 }
            if index == entity.count { return start + index }
        }
        return nil
    }

    private static let entities = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"].map { [UInt8]($0.utf8) }

    private mutating func element(_ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]) -> Int? {
        guard index + 1 < bytes.count || isLast else { return nil }
        if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "?") {
            dropping = Self.instruction
            return index + 2
        }
        guard let next = beginDropping(bytes, index: index, isLast: isLast, output: &output) else { return nil }
        if next > index { return next }
        elementSize = 0
        output.append(UInt8(ascii: "<"))
        return index + 1
    }

    private func entity(_ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]) -> Int? {
        let ahead = bytes[index...].prefix(Self.longestEntity)
        guard let end = ahead.firstIndex(of: UInt8(ascii: ";")) else {
            if ahead.count < Self.longestEntity, !isLast { return nil }
            output.append(contentsOf: "&amp;".utf8)
            return index + 1
        }
        let name = ahead[(index + 1)..<end]
        if let end = Self.endOfEntity(bytes, index) {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<end]))
            return end
        } else if name.first == UInt8(ascii: "#") {
            guard let code = Self.code(name.dropFirst()) else {
                output.append(contentsOf: "&amp;".utf8)
                return index + 1
            }
            // A character that XML does not have is dropped with its reference.
            if Self.isAllowed(code) { output.append(contentsOf: ahead[index...end]) }
        } else {
            output.append(contentsOf: "&amp;".utf8)
            return index + 1
        }
        return end + 1
    }

    private static func code(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        if digits.first == UInt8(ascii: "x") { return Hexadecimal.number(digits.dropFirst()) }
        return digits.first == UInt8(ascii: "+") ? nil : UInt32(String(decoding: digits, as: UTF8.self))
    }

    /// Whether XML 1.0 has a character.
    private static func isAllowed(_ code: UInt32) -> Bool {
        switch code {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Handles a character beyond ASCII.
    private func character(_ bytes: UnsafeBufferPointer<UInt8>, index: Int, isLast: Bool, output: inout [UInt8]) -> Int? {
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

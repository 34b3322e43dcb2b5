import Foundation

/// Reads the elements of Apple's `export.xml` one after the other, in memory of the size of an element.
///
/// Not Foundation's XMLParser: that refuses the file's broken document type and its control characters, makes a dictionary of each element's
/// attributes, and on Linux links another library. This reads what such files consist of: elements with attributes.
final class ExportScanner {
    private static let chunkSize = 1 << 18
    /// No element of such a file is longer.
    private static let maximumElement = 1 << 24

    private let source: (UnsafeMutableRawBufferPointer) throws -> Int
    private var buffer = [UInt8](repeating: 0, count: chunkSize * 2)
    private var position = 0
    private var end = 0
    private var isAtEnd = false
    /// The line of the first byte in the buffer.
    private var firstLine = 1

    /// The name of the element.
    private(set) var name = 0..<0
    /// The attributes of the element: names and values as they stand there.
    private(set) var attributes: [(name: Range<Int>, value: Range<Int>)] = []

    enum Tag {
        /// `<Record …>`
        case start
        /// `<Record …/>`
        case empty
        /// `</Record>`
        case end
    }

    init(_ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.source = source }

    /// The line of the present place, for errors.
    var line: Int { firstLine + buffer[..<position].count { $0 == 10 } }

    // MARK: - Elements

    /// The next tag; nil at the end of the file.
    ///
    /// - Throws: `SampleError.damaged`; what the source throws.
    func next() throws -> Tag? {
        while true {
            guard try find(UInt8(ascii: "<")) else { return nil }
            guard try has(2) else { throw damaged("the file ends inside an element") }
            switch buffer[position + 1] {
            case UInt8(ascii: "?"): try skip(past: "?>")
            case UInt8(ascii: "!"): try skipDeclaration()
            default: return try tag()
            }
        }
    }

    /// Whether the element has this name.
    func isNamed(_ text: StaticString) -> Bool { equal(name, text) }

    /// The place of an attribute's value; nil if the element does not have it.
    func value(_ attribute: StaticString) -> Range<Int>? { attributes.first { equal($0.name, attribute) }?.value }

    /// An attribute as text.
    func text(_ attribute: StaticString) -> String? { value(attribute).map(text) }

    /// The bytes at a place.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// The text at a place, with its entities replaced and without control characters.
    func text(_ range: Range<Int>) -> String {
        withBytes(range) { bytes in
            if bytes.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "&") }) { return String(decoding: bytes, as: UTF8.self) }
            return XMLText.decoded(bytes)
        }
    }

    private func equal(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return withBytes(range) { memcmp($0.baseAddress ?? text.utf8Start, text.utf8Start, range.count) == 0 }
    }

    // MARK: - Tags

    private func tag() throws -> Tag {
        let close = try closing()
        defer { position = close + 1 }
        attributes.removeAll(keepingCapacity: true)
        var place = position + 1
        let isEnd = buffer[place] == UInt8(ascii: "/")
        if isEnd { place += 1 }
        let isEmpty = !isEnd && buffer[close - 1] == UInt8(ascii: "/")
        let last = isEmpty ? close - 1 : close
        let begin = place
        while place < last, !Self.isSpace(buffer[place]) { place += 1 }
        name = begin..<place
        guard !name.isEmpty else { throw damaged("an element has no name") }
        while true {
            while place < last, Self.isSpace(buffer[place]) { place += 1 }
            guard place < last else { break }
            place = try attribute(place, last)
        }
        return isEnd ? .end : isEmpty ? .empty : .start
    }

    private func attribute(_ start: Int, _ last: Int) throws -> Int {
        var place = start
        while place < last, buffer[place] != UInt8(ascii: "="), !Self.isSpace(buffer[place]) { place += 1 }
        let name = start..<place
        while place < last, Self.isSpace(buffer[place]) { place += 1 }
        guard place < last, buffer[place] == UInt8(ascii: "=") else { throw damaged("an attribute has no value") }
        place += 1
        while place < last, Self.isSpace(buffer[place]) { place += 1 }
        guard place < last, buffer[place] == UInt8(ascii: "\"") || buffer[place] == UInt8(ascii: "'") else {
            throw damaged("the value of an attribute is not in quotes")
        }
        let quote = buffer[place]
        let begin = place + 1
        place = begin
        while place < last, buffer[place] != quote { place += 1 }
        guard place < last else { throw damaged("the value of an attribute does not end") }
        attributes.append((name, begin..<place))
        return place + 1
    }

    /// The place of the `>` that closes the element at the present place. It may stand inside quotes.
    private func closing() throws -> Int {
        var offset = 1
        var quote: UInt8 = 0
        while true {
            while position + offset < end {
                let byte = buffer[position + offset]
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == UInt8(ascii: ">") {
                    return position + offset
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                }
                offset += 1
            }
            guard offset < Self.maximumElement, try fill() else { throw damaged("the file ends inside an element") }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }

    // MARK: - What is skipped

    /// Skips a comment, a section of characters or the document type with its declarations, whatever they look like.
    private func skipDeclaration() throws {
        guard try has(9) else { throw damaged("the file ends inside a declaration") }
        let beginning = buffer[position..<position + 9]
        if beginning.starts(with: "<!--".utf8) { return try skip(past: "-->") }
        if beginning.starts(with: "<![CDATA[".utf8) { return try skip(past: "]]>") }
        // The declarations of Apple's document type are in brackets, with marks and quotes that do not always match.
        var offset = 2
        while true {
            while position + offset < end {
                switch buffer[position + offset] {
                case UInt8(ascii: ">"):
                    position += offset + 1
                    return
                case UInt8(ascii: "["): return try skipDeclarations(offset)
                default: offset += 1
                }
            }
            guard offset < Self.maximumElement, try fill() else { throw damaged("the document type does not end") }
        }
    }

    /// Skips past `]`, space and `>`.
    private func skipDeclarations(_ offset: Int) throws {
        position += offset + 1
        while true {
            guard try find(UInt8(ascii: "]")) else { throw damaged("the document type does not end") }
            position += 1
            while try has(1), Self.isSpace(buffer[position]) { position += 1 }
            if try has(1), buffer[position] == UInt8(ascii: ">") {
                position += 1
                return
            }
        }
    }

    private func skip(past text: String) throws {
        let mark = Array(text.utf8)
        while true {
            guard try find(mark[0]), try has(mark.count) else { throw damaged("the file ends inside a comment") }
            if buffer[position..<position + mark.count].elementsEqual(mark) {
                position += mark.count
                return
            }
            position += 1
        }
    }

    // MARK: - The buffer

    /// Moves to the next such byte; false at the end of the file.
    private func find(_ byte: UInt8) throws -> Bool {
        while true {
            let found = buffer.withUnsafeBufferPointer { bytes -> Int? in
                guard let base = bytes.baseAddress, position < end, let place = memchr(base + position, Int32(byte), end - position)
                else { return nil }
                return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(place))
            }
            if let found {
                position = found
                return true
            }
            position = end
            guard try fill() else { return false }
        }
    }

    private func has(_ count: Int) throws -> Bool {
        while end - position < count { guard try fill() else { return false } }
        return true
    }

    /// Reads more behind what is not used yet; false at the end of the file.
    private func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        if position > 0 {
            firstLine += buffer[..<position].count { $0 == 10 }
            buffer.withUnsafeMutableBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base, base + position, end - position)
            }
            end -= position
            position = 0
        }
        if buffer.count - end < Self.chunkSize { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let count = try buffer.withUnsafeMutableBytes { try source(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
        end += count
        isAtEnd = count == 0
        return !isAtEnd
    }

    func damaged(_ message: String) -> SampleError { SampleError(.damaged, message, line: line) }
}

/// Text in XML.
enum XMLText {
    /// Replaces entities and drops control characters, which no version of XML allows but such files have.
    static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "&"), let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let text = entity(String(decoding: bytes[index + 1..<end], as: UTF8.self))
            {
                result.append(contentsOf: text.utf8)
                index = end + 1
                continue
            }
            if byte >= 32 || byte == 9 || byte == 10 || byte == 13 { result.append(byte) }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func entity(_ name: String) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let code = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let scalar = code.flatMap(Unicode.Scalar.init) else { return nil }
            return scalar.value < 32 && ![9, 10, 13].contains(scalar.value) ? "" : String(Character(scalar))
        }
    }
}

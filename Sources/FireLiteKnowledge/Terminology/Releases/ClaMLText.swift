import Foundation

/// Makes a text that the system's parser reports whole of an XML file: `XMLScanner` reports elements with their attributes, and refuses document types, which
/// files in ClaML have.
///
/// Each piece of text becomes an element ``element`` with the attribute `v`; the document type, comments and instructions are left out. Line ends stay, so that
/// the parser counts the lines of the file. What is well-formed stays so, and the parser finds what is not.
struct ClaMLText {
    /// The name of the elements with text, which no element of ClaML has.
    static let element = "text."

    /// Where the file ends in the midst of something.
    struct Unfinished: Error {
        let line: Int
        let what: String
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var output: [UInt8] = []

    /// The number of bytes that are passed on at once.
    private static let piece = 1 << 18

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Passes on the text of a file in pieces.
    ///
    /// - Throws: ``Unfinished``; errors of `body`.
    static func forEachPiece(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        var text = ClaMLText(bytes)
        // A byte order mark is no text.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { text.place = 3 }
        while text.place < bytes.count {
            try text.step()
            if text.output.count >= piece || text.place >= bytes.count {
                try text.output.withUnsafeBufferPointer(body)
                text.output.removeAll(keepingCapacity: true)
            }
        }
    }

    private mutating func step() throws {
        guard bytes[place] == UInt8(ascii: "<") else { return readText() }
        if starts("<!--") {
            try skip(to: "-->", "a comment")
        } else if starts("<?") {
            try skip(to: "?>", "an instruction")
        } else if starts("<![CDATA[") {
            try readSection()
        } else if starts("<!DOCTYPE") {
            try skipDocumentType()
        } else {
            try readTag()
        }
    }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
    }

    private func end(of mark: StaticString, from start: Int) -> Int? {
        let count = mark.utf8CodeUnitCount
        var next = start
        while next + count <= bytes.count {
            if (0..<count).allSatisfy({ bytes[next + $0] == mark.utf8Start[$0] }) { return next + count }
            next += 1
        }
        return nil
    }

    private func unfinished(_ what: String) -> Unfinished {
        Unfinished(line: bytes[..<place].filter { $0 == 10 }.count + 1, what: what)
    }

    // MARK: - What is left out

    private mutating func skip(to mark: StaticString, _ what: String) throws {
        guard let end = end(of: mark, from: place + 2) else { throw unfinished(what) }
        leaveOut(to: end)
    }

    private mutating func leaveOut(to end: Int) {
        for byte in bytes[place..<end] where byte == 10 { output.append(byte) }
        place = end
    }

    /// Skips a document type with its internal subset, whose declarations mean nothing here.
    private mutating func skipDocumentType() throws {
        var next = place
        var depth = 0
        var quote: UInt8?
        while next < bytes.count {
            let byte = bytes[next]
            if let open = quote {
                if byte == open { quote = nil }
            } else {
                switch byte {
                case 34, 39: quote = byte
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ">") where depth == 0: return leaveOut(to: next + 1)
                default: break
                }
            }
            next += 1
        }
        throw unfinished("the document type")
    }

    // MARK: - What is passed on

    private mutating func readTag() throws {
        var next = place
        var quote: UInt8?
        while next < bytes.count {
            let byte = bytes[next]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == 34 || byte == 39 {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                output.append(contentsOf: bytes[place...next])
                place = next + 1
                return
            }
            next += 1
        }
        throw unfinished("a tag")
    }

    private mutating func readText() {
        var next = place
        while next < bytes.count, bytes[next] != UInt8(ascii: "<") { next += 1 }
        let text = bytes[place..<next]
        if text.allSatisfy({ [9, 10, 13, 32].contains($0) }) {
            output.append(contentsOf: text)
        } else {
            write(text, isPlain: false)
        }
        place = next
    }

    private mutating func readSection() throws {
        guard let end = end(of: "]]>", from: place) else { throw unfinished("a CDATA section") }
        write(bytes[(place + 9)..<(end - 3)], isPlain: true)
        place = end
    }

    /// Writes a text as an attribute.
    ///
    /// - Parameter isPlain: whether `&` and `<` stand for themselves.
    private mutating func write(_ text: Slice<UnsafeRawBufferPointer>, isPlain: Bool) {
        output.append(contentsOf: "<\(Self.element) v=\"".utf8)
        for byte in text {
            switch byte {
            case 34: output.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "&") where isPlain: output.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): output.append(contentsOf: "&lt;".utf8)
            default: output.append(byte)
            }
        }
        output.append(contentsOf: "\"/>".utf8)
    }
}

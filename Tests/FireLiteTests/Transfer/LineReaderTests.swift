import Foundation
import TestSupport
import Testing

@testable import FireLite

struct LineReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The lines of a text that is read in pieces of `size` bytes; nil for one that is too long.
    private func lines(_ text: String, size: Int, longest: Int = 1_000) throws -> [String?] {
        let path = try folder.write("lines", text)
        var reader = LineReader(try InputFile(.file(path: path)), size: size, longest: longest)
        var lines: [String?] = []
        var end = 0
        while let chunk = try reader.next() {
            if chunk.isTooLong {
                lines.append(nil)
            } else {
                let bytes = chunk.text.slice(0..<chunk.count)
                LineReader.forEachLine(in: bytes) { lines.append(String(decoding: bytes[$0], as: UTF8.self)) }
            }
            #expect(chunk.end > end)
            end = chunk.end
        }
        let marked = text.hasPrefix("\u{FEFF}") ? 3 : 0
        #expect(end == text.utf8.count - marked)
        return lines
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\nbc\n\ndef", ["a", "bc", "", "def"]), ("a\r\n\r\nb\r", ["a", "", "b"]),
        ("\u{FEFF}a\nb\n", ["a", "b"]), ("\u{FEFF}", []), ("a\u{FEFF}\n", ["a\u{FEFF}"]), ("a\rb\nc", ["a\rb", "c"]),
        ("ä\u{1F600}\nö", ["ä\u{1F600}", "ö"]),
    ]) func linesAreTheSameInPiecesOfAnySize(_ text: String, _ expected: [String]) throws {
        for size in 1...text.utf8.count + 2 { #expect(try lines(text, size: size) == expected, "pieces of \(size) bytes") }
    }

    @Test func aLineTooLongIsSkipped() throws {
        let long = String(repeating: "x", count: 50)
        for size in 1...10 {
            #expect(try lines("a\n\(long)\nb\n", size: size, longest: 20) == ["a", nil, "b"])
            #expect(try lines("a\n\(long)", size: size, longest: 20) == ["a", nil])
            #expect(try lines("\(long)\n\(long)\nb", size: size, longest: 20) == [nil, nil, "b"])
        }
    }

    /// The carriage return is no part of the line: a line just as long as is allowed is read in pieces of any size.
    @Test func aCarriageReturnDoesNotCount() throws {
        for size in 1...30 { #expect(try lines("\(String(repeating: "x", count: 20))\r\nb\r\n", size: size, longest: 20).last == "b") }
        for size in 1...30 { #expect(try lines("\(String(repeating: "x", count: 20))\r\nb", size: size, longest: 20).first != .some(nil)) }
    }

    @Test func peekingTakesNothingAway() throws {
        let path = try folder.write("peek", "\u{FEFF}abcdef")
        for count in 0...8 {
            let input = try InputFile(.file(path: path))
            #expect(String(decoding: try input.peek(count), as: UTF8.self) == String("abcdef".prefix(count)))
            var rest = [UInt8](repeating: 0, count: 10)
            #expect(try rest.withUnsafeMutableBytes { try input.fill($0) } == 6)
            #expect(String(decoding: rest[..<6], as: UTF8.self) == "abcdef")
            try input.keepForRewinding()
            try input.rewind()
            #expect(try rest.withUnsafeMutableBytes { try input.fill($0) } == 6)
        }
    }

    @Test func aPipeCanBeReadTwice() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("\u{FEFF}abc".utf8))
        try pipe.fileHandleForWriting.close()
        let input = try InputFile(.standardInput(pipe.fileHandleForReading.fileDescriptor))
        #expect(input.size == nil)
        #expect(try input.peek(2) == Array("ab".utf8))
        try input.keepForRewinding()
        for _ in 0..<2 {
            try input.rewind()
            var bytes = [UInt8](repeating: 0, count: 10)
            #expect(try bytes.withUnsafeMutableBytes { try input.fill($0) } == 3)
            #expect(String(decoding: bytes[..<3], as: UTF8.self) == "abc")
        }
        withExtendedLifetime(pipe) {}
    }
}

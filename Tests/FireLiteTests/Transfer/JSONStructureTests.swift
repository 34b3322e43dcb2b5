import Testing

@testable import FireLite

struct JSONStructureTests {
    private struct Seen: Equatable {
        let event: JSONStructure.Event
        let depth: Int
        let text: String
        let line: Int
        let offset: Int
    }

    /// Every event of the text, given in pieces of `size` bytes, up to a violation.
    private func events(_ text: String, size: Int, containerDepth: Int = 9, textDepth: Int = 9) -> [Seen] {
        var structure = JSONStructure(containerDepth: containerDepth, textDepth: textDepth)
        var seen: [Seen] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let isBroken = Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBufferPointer { piece in
                var index = 0
                while let event = structure.next(piece, &index) {
                    let isText = event == .member || event == .string
                    seen.append(
                        Seen(
                            event: event, depth: structure.depth, text: isText ? structure.plainText ?? "?" : "", line: structure.line,
                            offset: structure.offset))
                    if event == .violation { return true }
                }
                return false
            }
            if isBroken { break }
        }
        return seen
    }

    private static let text = "{\"a\" : [1, -2.5e+7,true ,null],\n \"b\\u0041\\\"\":{\"c\":\"x\\\\\"},\r\n\"d\":[[ ],{ }]}\n"

    /// A finding of the fuzzer: a text beyond the length of interest was cut elsewhere in pieces than as a whole.
    @Test func longTextsAreCutAtTheSamePlaceInPiecesOfAnySize() {
        let text =
            "{\"\(String(repeating: "n", count: 2_047))\\\"\(String(repeating: "m", count: 3_000))\":\"\(String(repeating: "v", count: 5_000))\"}"
        let whole = events(text, size: text.utf8.count)
        for size in [1, 7, 100, 2_048, 2_049] { #expect(events(text, size: size) == whole) }
    }

    @Test func eventsComeInOrder() {
        #expect(
            events(Self.text, size: 1_000).map(\.event) == [
                .began(isObject: true), .member, .began(isObject: false), .scalar, .scalar, .scalar, .scalar, .ended(isObject: false),
                .member, .began(isObject: true), .member, .string, .ended(isObject: true), .member, .began(isObject: false),
                .began(isObject: false), .ended(isObject: false), .began(isObject: true), .ended(isObject: true), .ended(isObject: false),
                .finished,
            ])
        #expect(
            events(Self.text, size: 1_000).filter { $0.event == .member || $0.event == .string }.map(\.text) == [
                "a", "bA\"", "c", "x\\", "d",
            ])
        #expect(events(Self.text, size: 1_000).last?.line == 3)
    }

    @Test func piecesMakeNoDifference() {
        let whole = events(Self.text, size: 1_000)
        for size in 1...Self.text.utf8.count { #expect(events(Self.text, size: size) == whole, "pieces of \(size) bytes") }
    }

    @Test func whatIsDeeperPassesInSilence() {
        #expect(
            events(Self.text, size: 7, containerDepth: 1, textDepth: 1).map(\.event) == [
                .began(isObject: true), .member, .member, .member, .finished,
            ])
    }

    @Test(arguments: [
        ("x", 0), ("[1]", 0), ("\"a\"", 0), ("{a:1}", 1), ("{\"a\"}", 4), ("{\"a\" 1}", 5), ("{\"a\":}", 5), ("{\"a\":1,}", 7),
        ("{\"a\":1 2}", 7),
        ("{\"a\":[1,]}", 8), ("{\"a\":[1}", 7), ("{\"a\":{]", 6), ("{\"a\":1\"b\":2}", 6), ("{\"a\":\"\n\"}", 6), ("{,}", 1), ("{}{}", 2),
        ("{} x", 3),
    ]) func grammarIsChecked(_ text: String, _ offset: Int) {
        let last = events(text, size: 100).last
        #expect(last?.event == .violation)
        #expect(last?.offset == offset)
        #expect(events(text, size: 1).last == last)
    }

    @Test func depthIsBounded() {
        let deep = "{\"a\":" + String(repeating: "[", count: 5_000)
        #expect(events(deep, size: 4_096, containerDepth: 0, textDepth: 0).last?.event == .violation)
    }
}

import Testing

@testable import FireLiteCore

/// Messages show the beginning and the end of what is long.
@Suite struct ShortTextTests {
    @Test func longTextsAreShortened() {
        let limit = String(repeating: "a", count: 120)
        #expect(limit.shortened() == limit)
        #expect(("b" + limit + "c").shortened() == "b" + limit.prefix(59) + "…" + limit.prefix(59) + "c")
        #expect("abcdefgh".shortened(to: 4) == "ab…gh")
        // One character with many marks.
        #expect(("e" + String(repeating: "\u{301}", count: 5_000)).shortened().unicodeScalars.count == 121)
    }

    @Test func longWordsOfMessagesAreShortened() {
        let long = String(repeating: "partof.", count: 2_000)
        let word = "'\(long)':".shortened()
        #expect("there is no parameter '\(long)': write another".withShortWords == "there is no parameter \(word) write another")
        let many = String(repeating: "a short word ", count: 20)
        #expect(many.withShortWords == many)
        #expect(String(repeating: "a short word ", count: 2_000).withShortWords.utf8.count < 2_010)
    }
}

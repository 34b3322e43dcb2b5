import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCore

/// Texts are taken by their bytes where a program reads them.
@Suite struct ExactTextTests {
    private let one = "\u{E9}"
    private let two = "e\u{301}"

    @Test func formsOfAnAccentAreDifferentKeys() {
        #expect(one == two && !one.hasSameBytes(as: two))
        #expect(Set([ExactText(one), ExactText(two), ExactText(one)]).count == 2)
        #expect(ExactText("a") == ExactText(String(decoding: [97], as: UTF8.self)))
        #expect(JSONItem.string(one) != .string(two) && !JSONItem.string(one).isSame(as: .string(two)))
    }

    @Test func marksWithAccentsAreFound() {
        #expect("'\u{301}'".replacingBytes("'", with: "''") == "''\u{301}''")
        #expect("a\r\nb".parts(separatedByBytes: "\n") == ["a\r", "b"])
        #expect("aXXbXX".parts(separatedByBytes: "XX") == ["a", "b", ""])
        #expect("aXXb"[...].replacingBytes("", with: "-") == "aXXb" && "".parts(separatedByBytes: "x") == [""])
    }

    /// Like Python's `str.replace`, on random texts.
    @Test func partsAndSeparatorsGiveTheText() {
        var random = SeededGenerator(seed: 5)
        let letters = ["a", "b", "e", "\u{301}", "\u{E9}", "'", "\r", "\n", "😀"]
        for _ in 0..<2_000 {
            func text(_ most: Int) -> String {
                (0..<random.int(0...most)).map { _ in letters[random.int(0...(letters.count - 1))] }.joined()
            }
            let (whole, separator) = (text(12), text(2))
            let parts = whole.parts(separatedByBytes: separator)
            #expect(parts.joined(separator: separator).hasSameBytes(as: whole))
            guard !separator.isEmpty else { continue }
            for part in parts { #expect(Data(part.utf8).range(of: Data(separator.utf8)) == nil) }
        }
    }

    @Test func differencesSeeWhatDiffersInItsBytes() {
        let (before, after) = (Patient { $0.language = one }, Patient { $0.language = two })
        #expect(before.differences(to: after).map(\.path) == ["language"])
        let lists = (HumanName { $0.given = [one, "x"] }, HumanName { $0.given = [two, "x"] })
        #expect(lists.0.differences(to: lists.1).map(\.path) == ["given[0]"])
    }
}

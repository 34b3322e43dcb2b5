import FireLiteCore
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

struct ResponseTextTests {
    private static func item(_ random: inout SeededGenerator, _ depth: Int) -> JSONItem {
        let texts = ["", "plain", "a \"quoted\" \\ text", "line\nbreak\u{1}", "Größe 👩‍👩‍👧", "/"]
        switch random.int(0...(depth == 0 ? 3 : 5)) {
        case 0: return .string(texts[random.int(0...texts.count - 1)])
        case 1: return .number("\(random.int(-9...9)).50")
        case 2: return .bool(random.int(0...1) == 0)
        case 3: return .null
        case 4: return .array((0..<random.int(0...3)).map { _ in item(&random, depth - 1) })
        default:
            return .object(
                (0..<random.int(0...3)).map { _ in
                    JSONItem.Member(name: texts[random.int(0...texts.count - 1)], value: item(&random, depth - 1))
                })
        }
    }

    /// Texts are looked at eight bytes at a time.
    @Test func everyCharacterIsEscapedAtEveryPlace() {
        for scalar in (0..<0x100).compactMap({ Unicode.Scalar($0 as UInt32) }) {
            for place in 0..<18 {
                let item = JSONItem.string(String(repeating: "a", count: place) + String(Character(scalar)) + "bc")
                #expect(String(decoding: ResponseText.data(item), as: UTF8.self) == item.json)
            }
        }
    }

    @Test func bytesAreTheTextOfTheValue() throws {
        try withEvery(0..<500) { seed in
            var random = SeededGenerator(seed: seed)
            let item = Self.item(&random, 4)
            #expect(String(decoding: ResponseText.data(item), as: UTF8.self) == item.json)
        }
    }
}

import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteSearch

/// `_content` without an index finds what Foundation finds in the values of resources.
@Suite struct ContentWordsTests {
    private static let pieces =
        [
            "a", "B", "z", "0", " ", "-", "^", "`", "\"", "\\", "/", "\n", "\u{1}", "é", "É", "ß", "İ", "ı", "ŉ", "Ǆ", "ǅ", "µ", "°", "Å",
            "ö", "Ö",
        ]
        + [
            "ſ", "ʼ", "ẞ", "ạ", "Ḁ", "–", "’", "…", "€", "≥", "→", "e\u{301}", "\u{301}", "\u{AD}", "ά", "Σ", "ς", "я", "中", "👍🏽",
            "\u{200D}", "ﬁ",
        ]

    /// The texts of values, by Foundation.
    private func values(_ json: Any) -> [String] {
        switch json {
        case let object as [String: Any]: object.filter { $0.key != "resourceType" }.values.flatMap(values)
        case let list as [Any]: list.flatMap(values)
        case let text as String: [text]
        default: ["\(json)"]
        }
    }

    private func folded(_ text: String) -> String { text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }

    @Test(arguments: 0..<40)
    func wordsAreFoundAsFoundationFindsThem(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Mostly few kinds of characters, so that all ways of folding are gone.
        let alphabet = seed % 3 == 0 ? Self.pieces : (0..<6).map { _ in Self.pieces.randomElement(using: &random)! } + ["a", "B"]
        func text(_ length: ClosedRange<Int>) -> String {
            (0..<Int.random(in: length, using: &random)).map { _ in alphabet.randomElement(using: &random)! }.joined()
        }
        var found = 0
        for _ in 0..<60 {
            let patient = Patient {
                $0.id = "1"
                $0.name = [
                    HumanName { ($0.family, $0.given) = (text(0...12), [text(1...6), text(1...6)]) },
                    HumanName { $0.text = text(1...30) },
                ]
                $0.contained = [Organization { ($0.id, $0.name) = ("o", text(1...9)) }]
            }
            let all = values(try JSONSerialization.jsonObject(with: FHIRJSON.data(patient))).joined(separator: " ") + " "
            for _ in 0..<6 {
                let words = (0..<Int.random(in: 1...2, using: &random)).map { _ in text(1...3).filter { !$0.isWhitespace } }
                    .filter { $0.contains { $0.isLetter || $0.isNumber } && !$0.unicodeScalars.contains { $0.value < 32 } }
                guard !words.isEmpty else { continue }
                var content = ContentWords(words)
                let isIn = FHIRJSON.withUTF8(of: patient) { content.areIn($0) }
                let expected = words.allSatisfy { folded(all).contains(folded($0)) }
                #expect(isIn == expected, "\(words) in \(all)")
                if isIn { found += 1 }
            }
        }
        #expect(found > 0)
    }

    @Test func namesOfMembersAndTypesAreNoContent() throws {
        let patient = Patient {
            $0.id = "1"
            $0.name = [HumanName { $0.family = "Müller \"x\\y\"\tz" }]
            $0.active = true
        }
        func isIn(_ words: String...) -> Bool {
            var content = ContentWords(words)
            return FHIRJSON.withUTF8(of: patient) { content.areIn($0) }
        }
        #expect(isIn("muller") && isIn("MÜLL") && isIn("true") && isIn("x\\Y") && isIn("mul", "z") && isIn("\"x"))
        for word in ["family", "name", "Patient", "resourceType", "tz", "mullers", "null", ":"] { #expect(!isIn(word), "\(word)") }
    }
}

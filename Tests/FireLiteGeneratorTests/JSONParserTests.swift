import Foundation
import Testing

@testable import FireLiteGenerator

struct JSONParserTests {
    private func parse(_ text: String, ignoring: Set<String> = []) throws -> JSONNode {
        try JSONParser.parse(SourceFile(name: "x.json", bytes: Array(text.utf8)), ignoring: ignoring)
    }

    @Test func valuesAreReadAsWritten() throws {
        let node = try parse(#" { "a" : [ 1, -2.50e+3, true, false, null ], "b": {"c": "d"} } "#)
        let items = node.list("a")
        #expect(items.count == 5)
        #expect(items[0].integer == 1)
        guard case .number(let literal) = items[1].content else { return #expect(Bool(false), "no number") }
        #expect(literal == "-2.50e+3")
        #expect(items[2].bool == true && items[3].bool == false)
        #expect(node["b"]?["c"]?.string == "d")
        #expect(node["absent"] == nil)
    }

    @Test(arguments: ["1e5", "1E+5", "1e-5", "0.10E-02"])
    func exponentsHaveOneSign(number: String) throws {
        guard case .number(let literal) = try parse(number).content else { return #expect(Bool(false), "no number") }
        #expect(literal == number)
        let twice = number.replacing(#/e[+-]?/#.ignoresCase(), with: "e+-")
        #expect(message { _ = try parse(twice) }?.hasSuffix("expected a digit") == true)
    }

    @Test func escapesBecomeCharacters() throws {
        #expect(try parse(#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#).string == "a\"\\/\u{8}\u{C}\n\r\té😀")
    }

    @Test func ignoredMembersAreCheckedButNotKept() throws {
        let node = try parse(#"{"text": {"a": [1, "é"]}, "url": "u"}"#, ignoring: ["text"])
        #expect(node["text"] == nil)
        #expect(node["url"]?.string == "u")
        #expect(
            message { _ = try parse("{\"text\": [1,]}", ignoring: ["text"]) } == "x.json:1:13: unexpected character, expected a JSON value")
    }

    @Test(arguments: [
        ("", "x.json:1:1: unexpected end of the file, expected a JSON value"),
        ("{\n  \"a\" 1}", "x.json:2:7: expected `:` after a member name"),
        ("{\n  \"a\": 1\n  \"b\": 2}", "x.json:3:3: expected `,` or `}`"),
        ("{\"a\": 1,\n \"a\": 2}", "x.json:2:2: member `a` occurs twice"),
        ("{a: 1}", "x.json:1:2: expected a member name in quotes"),
        ("[1 2]", "x.json:1:4: expected `,` or `]`"),
        ("[1,\n tru]", "x.json:2:2: expected `true`"),
        ("[-]", "x.json:1:3: expected a digit"),
        ("[1.]", "x.json:1:4: expected a digit"),
        ("[1] 2", "x.json:1:5: unexpected text after the JSON value"),
        ("[\"abc", "x.json:1:2: string without a closing quote"),
        ("[\"a\nb\"]", "x.json:1:4: control character in a string"),
        (#"["a\x"]"#, "x.json:1:4: unknown escape in a string"),
        (#"["\u12"]"#, "x.json:1:3: expected four hexadecimal digits"),
        (#"["\ud83d"]"#, "x.json:1:3: half of a surrogate pair in a string"),
    ])
    func mistakesAreFoundInPlace(text: String, expected: String) {
        #expect(message { _ = try parse(text) } == expected)
    }

    @Test func invalidUTF8IsAnError() {
        let file = SourceFile(name: "x.json", bytes: [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
        #expect(message { _ = try JSONParser.parse(file) } == "x.json:1:1: invalid UTF-8 in a string")
    }

    @Test func byteOrderMarkTakesNoColumn() {
        let file = SourceFile(name: "x.json", bytes: [0xEF, 0xBB, 0xBF] + Array("[x]".utf8))
        #expect(message { _ = try JSONParser.parse(file) } == "x.json:1:2: unexpected character, expected a JSON value")
    }

    @Test func nestingIsLimited() {
        let text = String(repeating: "[", count: 100_000)
        #expect(message { _ = try parse(text) } == "x.json:1:201: nested more than 200 levels deep")
    }

    /// Any bytes give a value or an error.
    @Test func mutatedTextNeverCrashes() {
        let text = Array(#"{"a": ["é\ud83d\ude00\n", -1.5e3, {"b": null, "c": [true, false]}]}"#.utf8)
        var failures = 0
        for seed in 0..<2_000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let file = SourceFile(name: "x.json", bytes: generator.mutated(text))
            if message({ _ = try JSONParser.parse(file) }) != nil { failures += 1 }
        }
        #expect(failures > 500 && failures < 2_000)
    }
}

import FireLiteCore
import Foundation
import TestSupport
import Testing

@Suite struct JSONItemTests {
    private func read(_ text: String) throws -> JSONItem { try JSONItemReader.read(Data(text.utf8)) }

    @Test func valuesKeepTheirOrderLiteralsAndLines() throws {
        let item = try read("{\"b\": 1.50,\n \"a\": [true, null,\n \"x\\u00e9\\ud83d\\ude00\"], \"c\": -0e+10}")
        #expect(item.members.map(\.name) == ["b", "a", "c"])
        #expect(item["b"]?.content == .number("1.50") && item["c"]?.content == .number("-0e+10"))
        #expect(item["a"]?.items.map(\.line) == [2, 2, 3] && item["a"]?.items.last?.text == "xé😀")
        #expect(item.json == "{\"b\":1.50,\"a\":[true,null,\"xé😀\"],\"c\":-0e+10}")
        #expect(try read(item.json) == item)
        #expect(try read("{\"a\":1,\"b\":2}").isSame(as: read("{\"b\":2,\"a\":1}")))
        #expect(try read("{\"a\":1,\"b\":2}") != read("{\"b\":2,\"a\":1}"))
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{\"\\u0061\":1,\"a\":2}", "01", "1.", ".5", "+1", "1e", "tru", "nulll",
        "\"", "\"\n\"",
        "\"\\u+12F\"", "\"\\u12 4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\x\"", "1 2", "{a:1}", "[1 2]", "\u{FEFF}1",
        "'a'", "NaN",
    ]) func whatIsNotJSONIsRefused(_ text: String) {
        #expect(throws: JSONItemError.self) { try read(text) }
    }

    @Test func bytesThatAreNotUTF8AndDepthAreRefused() throws {
        #expect(throws: JSONItemError.self) { try JSONItemReader.read(Data([0x22, 0xFF, 0x22])) }
        #expect(throws: JSONItemError.self) { try JSONItemReader.read(Data([0x22, 0x5C, 0x6E, 0xC3, 0x22])) }
        let limit = JSONItemReader.maximumDepth
        _ = try read(String(repeating: "[", count: limit) + String(repeating: "]", count: limit))
        #expect(throws: JSONItemError.self) {
            try read(String(repeating: "[", count: limit + 1) + String(repeating: "]", count: limit + 1))
        }
    }

    @Test func manyMembersAreTheirOwn() throws {
        let names = (0..<40).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        #expect(try read("{\(names)}").members.count == 40)
        #expect(throws: JSONItemError.self) { try read("{\(names),\"n3\":0}") }
        // Canonically equivalent, and not the same.
        #expect(try read("{\"\u{E9}\":1,\"e\u{301}\":2}").members.count == 2)
    }

    /// Foundation takes and refuses the same texts, but for members that occur twice.
    @Test func itAgreesWithFoundation() throws {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u0041\"", "1", "-2.5", "true", "null", " ", "\"b\"", "\"\\ud83d\\ude00\"", "0",
        ]
        var valid = 0
        for _ in 0..<30_000 {
            let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
                .joined()
            let other = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            let own = Result { try read(text) }
            if case .failure(let error as JSONItemError) = own, error.problem == "a member occurs twice" { continue }
            #expect(((try? own.get()) != nil) == (other != nil), "\(text)")
            valid += other == nil ? 0 : 1
        }
        #expect(valid > 1_000)
    }

    @Test func stringsAreEscapedInBothForms() throws {
        let text = "a\"\\/\u{8}\t\n\u{C}\r\u{1}é😀"
        #expect(JSONText.string(text) == "\"a\\\"\\\\/\\u0008\\u0009\\n\\u000c\\u000d\\u0001é😀\"")
        #expect(JSONText.string(text, .short) == "\"a\\\"\\\\/\\b\\t\\n\\f\\r\\u0001é😀\"")
        for form in [JSONText.Escapes.few, .short] { #expect(try read(JSONText.string(text, form)).text == text) }
    }

    @Test func hexadecimalDigitsAreDigits() {
        #expect(Hexadecimal.number("12aF".utf8) == 0x12AF && Hexadecimal.number("ffffffff".utf8) == .max)
        for text in ["", "+12", "-1", " 1", "1g", "100000000"] { #expect(Hexadecimal.number(text.utf8) == nil, "\(text)") }
        #expect(Hexadecimal.bytes("00fF") == Data([0, 255]) && Hexadecimal.bytes("") == Data())
        for text in ["0", "+f", "0x", "éa"] { #expect(Hexadecimal.bytes(text) == nil, "\(text)") }
        #expect([UInt8(0), 10, 255].hexText == "000aff")
        #expect(7.padded(3) == "007" && 1_234.padded(3) == "1234" && UInt64(255).padded(4, radix: 16) == "00ff")
    }
}

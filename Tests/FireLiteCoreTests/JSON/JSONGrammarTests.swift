import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// The grammar of JSON (RFC 8259), in the two ways the reader meets it: values it wants, and values it steps over.
@Suite struct JSONGrammarTests {
    // MARK: - Values stepped over

    static let accepted = [
        "[]", "{}", "[ ]", "{ }", "[1]", "[ 1 , 2 ]", "[[[]]]", "[{}]", "{\"\":0}", "{\"a\":{\"a\":{}}}",
        "{\"a\":1,\"b\":[true,false,null]}",
        "null", "true", "false", "\"\"", "\"a\"", "\" \"", "\"\u{7F}\"", "\"é\"", "\"\u{10FFFF}\"", "\"\\u0000\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\uD834\\uDD1E\"", "\"\\u0060\\u012a\\u12AB\"", "\"\u{2028}\u{2029}\"", "\"\\\\a\"", "\"\\\\u0000\"", "[\"a\",\r\n\t \"b\"]",
        "\n[\n]\n",
        "[1,2,3,4,5,6,7,8,9,10]", "{\"a\":\"b\",\"a\":\"c\"}", "{\"\\uDFAA\\u0041\":0}".replacingOccurrences(of: "\\uDFAA", with: ""),
    ]

    static let rejected = [
        "[", "]", "{", "}", "[1", "[1,", "[,1]", "[1,,2]", "[1,]", "[1 2]", "[1;2]", "[}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}", "{\"a\" 1}", "{\"a\",1}", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}",
        "{,\"a\":1}", "{\"a\"::1}",
        "nul", "nulll", "Null", "NULL", "TRUE", "tru", "truee", "fals", "undefined", "NaN", "Infinity", "-Infinity", "-", "+", "#", "//",
        "/**/",
        "\"", "\"a", "\"\\\"", "\"\\", "\"\\x41\"", "\"\\a\"", "\"\\u\"", "\"\\u00\"", "\"\\u00G0\"", "\"\\U0041\"", "\"\\'\"", "'a'",
        "`a`",
        "\"\u{0}\"", "\"\u{1F}\"", "\"\n\"", "\"\t\"", "\"\\\n\"", "[\"a\"", "[\"a\u{0}\"]", "[1\u{C}]", "[\u{A0}1]", "[\u{2060}]", "[1]]",
        "[1]x",
        "[<null>]", "[a", "[\\n]", "[*]", "[\"\"", "\u{FEFF}[]", "<.>", "2@", "*", "{\"a\":true} \"x\"", "[][]", "1]",
        "{{\"a\":1}}", "{[\"a\"]:1}",
    ]

    @Test(arguments: accepted)
    func validUnknownMembersAreSkipped(_ value: String) throws {
        let (resource, issues) = try lenient(value)
        #expect(resource == Patient { $0.active = true })
        #expect(issues.map(\.code) == [.unknownMember])
        // In the look for the type, too.
        let late = "{\"x\":\(value),\"resourceType\":\"Patient\",\"active\":true}"
        #expect(try FHIRJSON.lenientResource(from: Data(late.utf8), release: .r4).resource == resource)
    }

    @Test(arguments: rejected)
    func invalidUnknownMembersAreRefused(_ value: String) throws {
        let error = try #require(throws: FHIRDecodingError.self) { try lenient(value) }
        #expect(error.code == .malformedJSON, "\(error)")
        let late = "{\"x\":\(value),\"resourceType\":\"Patient\",\"active\":true}"
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.lenientResource(from: Data(late.utf8), release: .r4) }
        #expect(throws: FHIRDecodingError.self) {
            try FHIRJSON.resource(from: Data(patient("\"maritalStatus\":\(value)").utf8), release: .r4)
        }
    }

    private func lenient(_ value: String) throws -> (resource: FHIRResource, issues: [FHIRDecodingError]) {
        try FHIRJSON.lenientResource(from: Data(patient("\"x\":\(value),\"active\":true").utf8), release: .r4)
    }

    // MARK: - Numbers

    static let numbers = [
        "0", "-0", "1", "-1", "10", "123456789", "0.0", "-0.0", "0.5", "1.50", "1.500000", "1e0", "1E0", "1e3", "1E+3", "1e-3", "-1.5e-10",
        "0e0", "0E+00",
        "9999999999999999", "-9999999999999999", "99999999999999999", "123456789012345678", "0.000000000000001", "0.0000000000000001",
        "0.12345678901234567890", "1e308", "1e400", "-1e-400", "100000000000000000000000000000000000000000",
        "1.0000000000000000000000000000000000001",
        "1234567890.123456", "12345678901.12345", "-0.000001", "4.9e-324", "20.00", "00.1".replacingOccurrences(of: "00", with: "0"),
    ]

    static let noNumbers = [
        "01", "-01", "00", "-00", "+1", "++1", "--1", "1.", "-1.", ".5", "-.5", "1.e3", "1e", "1e+", "1E-", "1e1.5", "1.5.0", "0x1F",
        "1_000", "1,000", "1 000",
        "Infinity", "NaN", "-NaN", "0e", "0.e1", "1ea", "1f", "- 1", "1 .5", "１", "-", "2.e", "0.1.2", "9.e+", "1e0e0", "0B1", "-a", "1/2",
    ]

    @Test(arguments: numbers)
    func numbersKeepTheirLiteral(_ literal: String) throws {
        let quantity = try Quantity(json: "{\"value\":\(literal)}")
        #expect(quantity.value?.literal == literal)
        #expect(FHIRJSON.string(quantity) == "{\"value\":\(literal)}")
        #expect(FHIRDecimal(literal) == quantity.value)
        #expect(quantity.value?.doubleValue == Double(literal))
        #expect(try Quantity(json: "{\n\"value\" : \(literal)\n}") == quantity)
        #expect(try FHIRJSON.lenientResource(from: Data(patient("\"x\":[\(literal)]").utf8), release: .r4).issues.count == 1)
    }

    @Test(arguments: noNumbers)
    func malformedNumbersAreRefused(_ literal: String) {
        #expect(throws: FHIRDecodingError.self) { try Quantity(json: "{\"value\":\(literal)}") }
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.lenientDecode(Quantity.self, from: Data("{\"value\":\(literal)}".utf8)) }
        #expect(throws: FHIRDecodingError.self) {
            try FHIRJSON.lenientResource(from: Data(patient("\"x\":[\(literal)]").utf8), release: .r4)
        }
        #expect(FHIRDecimal(literal) == nil)
    }

    @Test func integersOfEveryType() throws {
        for (literal, value) in [("0", 0), ("-1", -1), ("2147483647", 2_147_483_647), ("-2147483648", -2_147_483_648)] {
            #expect(try Patient(json: patient("\"multipleBirthInteger\":\(literal)")).multipleBirthInteger == value)
        }
        #expect(try Attachment(json: "{\"size\":0}").size == 0)
        #expect(try ContactPoint(json: "{\"rank\":1}").rank == 1)
        for literal in ["99999999999999999999", "9223372036854775808", "-9223372036854775809", "1e3"] {
            #expect(throws: FHIRDecodingError.self) { try Attachment(json: "{\"size\":\(literal)}") }
        }
    }

    // MARK: - Strings

    @Test func stringsOfEveryLengthAndEscape() throws {
        let pieces: [(json: String, text: String)] = [
            ("\\\"", "\""), ("\\\\", "\\"), ("\\/", "/"), ("\\b", "\u{8}"), ("\\f", "\u{C}"), ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"),
            ("\\u0000", "\u{0}"),
            ("\\u001f", "\u{1F}"), ("\\u00e9", "é"), ("\\uD83D\\uDE00", "😀"), ("\\ud83d\\ude00", "😀"), ("é", "é"), ("😀", "😀"),
            ("\u{7F}", "\u{7F}"), ("\\uFFFF", "\u{FFFF}"), ("", ""),
        ]
        for length in 0...40 {
            let plain = String(repeating: "x", count: length)
            for (json, text) in pieces {
                for (first, second) in [
                    (plain + json, plain + text), (json + plain, text + plain), (json + plain + json, text + plain + text),
                ] {
                    let name = try HumanName(json: "{\"text\":\"\(first)\"}")
                    #expect(name.text.map { Array($0.utf8) } == Array(second.utf8))
                    #expect(try HumanName(json: FHIRJSON.string(name)) == name)
                }
            }
        }
    }

    @Test func everyControlCharacterIsEscaped() throws {
        for code in UInt8(0)..<0x20 {
            let name = HumanName { $0.text = "a" + String(Unicode.Scalar(code)) + "b" }
            let json = FHIRJSON.string(name)
            #expect(!json.utf8.contains { $0 < 0x20 })
            #expect(try JSONTree(json)["text"] == name.text.map { JSONTree.string($0) })
            #expect(try HumanName(json: json) == name)
        }
    }

    @Test func equalStringsOfOneReaderAreEqualStrings() throws {
        let reader = FHIRJSONReader(release: .r4)
        for length in 14...98 {
            for round in 0..<40 {
                let text = String(repeating: "x", count: length - 3) + String(format: "%03d", round)
                let basic = try reader.resource(from: Data("{\"resourceType\":\"Basic\",\"implicitRules\":\"\(text)\"}".utf8)) as? Basic
                #expect(basic?.implicitRules == text)
            }
        }
    }

    /// Two texts with one hash in the reader's cache of strings: the second must not come out as the first.
    @Test func stringsWithOneHashStayThemselves() throws {
        let reader = FHIRJSONReader(release: .r4)
        for _ in 0..<2 {
            for text in ["tc6k1noancytfu9k-ending!", "m1synhuvt70r183t-ending!"] {
                let basic = try reader.resource(from: Data("{\"resourceType\":\"Basic\",\"implicitRules\":\"\(text)\"}".utf8)) as? Basic
                #expect(basic?.implicitRules == text)
            }
        }
    }

    // MARK: - White space

    @Test func whiteSpaceIsAllowedBetweenAnything() throws {
        let tokens = [
            "{", "\"resourceType\"", ":", "\"Patient\"", ",", "\"name\"", ":", "[", "{", "\"given\"", ":", "[", "\"a\"", ",", "null", "]",
            "}", "]", ",", "\"active\"", ":", "true", "}",
        ]
        let expected = try FHIRJSON.resource(from: Data(tokens.joined().utf8), release: .r4)
        for space in [" ", "\n", "\r\n", "\t", " \n\t\r "] {
            let json = space + tokens.joined(separator: space) + space
            #expect(try FHIRJSON.resource(from: Data(json.utf8), release: .r4) == expected)
        }
        for other in ["\u{C}", "\u{B}", "\u{A0}", "\u{0}", "/**/"] {
            #expect(decodingError(other + tokens.joined()) != nil)
            #expect(decodingError(tokens.joined() + other) != nil)
            #expect(decodingError(tokens.joined(separator: other)) != nil)
        }
    }
}

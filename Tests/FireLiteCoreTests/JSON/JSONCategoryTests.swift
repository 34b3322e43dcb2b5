import FireLiteCore
import FireLiteR4
import Foundation
import Testing

/// Whole texts by what RFC 8259 says of them: a reader must accept, must reject, or may do either. Foundation's reader is asked too.
@Suite struct JSONCategoryTests {
    /// What both readers make of a text.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// Why strict reading refuses it; nil where it reads.
        var strict: FHIRDecodingError.Code?
        /// Why lenient reading refuses it; nil where it reads.
        var lenient: FHIRDecodingError.Code?
        /// What lenient reading mends.
        var mended: [FHIRDecodingError.Code] = []
        /// Whether Foundation decides otherwise.
        var isOwnWay = false

        var testDescription: String { name }
    }

    private static func text(_ members: [UInt8]) -> [UInt8] { Array(#"{"resourceType":"Patient","#.utf8) + members + Array("}".utf8) }
    private static func language(_ value: [UInt8]) -> [UInt8] { text(Array("\"language\":\"".utf8) + value + [0x22]) }
    /// Extensions in extensions, so that the leaf's braces are the level `2 * depth + 3`.
    private static func nested(_ depth: Int, leaf: String = #"{"url":"u"}"#) -> [UInt8] {
        let opening = String(repeating: #"{"extension":["#, count: depth)
        return Array(
            (#"{"resourceType":"Patient","extension":[\#(opening)\#(leaf)"# + String(repeating: "]}", count: depth) + "]}").utf8)
    }

    // MARK: - Must accept

    private static let strings: [(name: String, bytes: [UInt8])] = [
        ("one byte of U+0000 to U+007F", [0x7F]), ("least of two bytes", [0xC2, 0x80]), ("greatest of two bytes", [0xDF, 0xBF]),
        ("least of three bytes", [0xE0, 0xA0, 0x80]), ("before the surrogates", [0xED, 0x9F, 0xBF]),
        ("after the surrogates", [0xEE, 0x80, 0x80]), ("noncharacter U+FFFF", [0xEF, 0xBF, 0xBF]),
        ("least of four bytes", [0xF0, 0x90, 0x80, 0x80]), ("greatest of four bytes", [0xF4, 0x8F, 0xBF, 0xBF]),
        ("byte order mark in a string", [0xEF, 0xBB, 0xBF]), ("line separators", [0xE2, 0x80, 0xA8, 0xE2, 0x80, 0xA9]),
        ("direction override", [0xE2, 0x80, 0xAE]), ("escaped NUL", Array(#"\u0000"#.utf8)),
        ("escaped pair", Array(#"\uDBFF\uDFFF"#.utf8)), ("escaped pair in mixed case", Array(#"\udBfF\uDffF"#.utf8)),
        ("escaped solidus and plain one", Array(#"\//"#.utf8)), ("escaped reverse solidus before u", Array(#"\\u0041"#.utf8)),
        ("escaped noncharacter", Array(#"\uFFFE"#.utf8)),
    ]

    private static let documents: [(name: String, json: String)] = [
        ("white space around all", " \t\r\n{ \"resourceType\" :\n\"Patient\"\t,\r\"active\" : true } \n"),
        ("type at the end", #"{"active":true,"resourceType":"Patient"}"#), ("type alone", #"{"resourceType":"Patient"}"#),
        ("greatest integer", #"{"resourceType":"Patient","multipleBirthInteger":2147483647}"#),
        ("least integer", #"{"resourceType":"Patient","multipleBirthInteger":-2147483648}"#),
    ]

    static let accepted: [Case] = {
        var cases = strings.map { Case(name: $0.name, bytes: language($0.bytes)) }
        for document in documents { cases.append(Case(name: document.name, bytes: Array(document.json.utf8))) }
        cases.append(Case(name: "128 levels", bytes: nested(62, leaf: #"{"url":"u","valuePeriod":{"start":"2020"}}"#)))
        return cases
    }()

    @Test(arguments: accepted) func validTextsAreRead(_ one: Case) throws {
        let resource = try FHIRJSON.resource(from: Data(one.bytes), release: .r4)
        #expect(try FHIRJSON.resource(from: FHIRJSON.data(resource), release: .r4) == resource)
        let (mended, issues) = try FHIRJSON.lenientResource(from: Data(one.bytes), release: .r4)
        #expect(mended == resource && issues.isEmpty)
        let theirs = try #require(try JSONSerialization.jsonObject(with: Data(one.bytes)) as? [String: Any])
        // Foundation drops a byte order mark within a string.
        if let language = resource._language, language != "\u{FEFF}" {
            #expect((theirs["language"] as? String).map { Array($0.utf8) } == Array(language.utf8))
        }
    }

    // MARK: - Must reject

    private static let malformed: [(name: String, json: String)] = [
        ("nothing", ""), ("white space alone", " \n"), ("comma at the end", #"{"resourceType":"Patient",}"#),
        ("two commas", #"{"resourceType":"Patient",,"active":true}"#), ("no comma", #"{"resourceType":"Patient" "active":true}"#),
        ("no colon", #"{"resourceType" "Patient"}"#), ("semicolon", #"{"resourceType":"Patient";"active":true}"#),
        ("comment", #"{"resourceType":"Patient"/* */}"#), ("comment to the end of the line", "{\"resourceType\":\"Patient\"} // x"),
        ("single quotes", #"{'resourceType':'Patient'}"#), ("name without quotes", #"{resourceType:"Patient"}"#),
        ("wrong bracket", #"{"resourceType":"Patient","name":[{"text":"a"]}}"#),
        ("one bracket too many", #"{"resourceType":"Patient"}}"#),
        ("list cut short by a brace", #"{"resourceType":"Patient","name":[}"#), ("form feed", "{\u{C}\"resourceType\":\"Patient\"}"),
        ("no-break space", "{\u{A0}\"resourceType\":\"Patient\"}"), ("word in capitals", #"{"resourceType":"Patient","active":TRUE}"#),
        ("word and more", #"{"resourceType":"Patient","active":truest}"#), ("half a word", #"{"resourceType":"Patient","active":tru}"#),
        ("NaN", #"{"resourceType":"Patient","multipleBirthInteger":NaN}"#),
        ("plus", #"{"resourceType":"Patient","multipleBirthInteger":+1}"#),
        ("hexadecimal", #"{"resourceType":"Patient","multipleBirthInteger":0x1}"#),
        ("zero before digits", #"{"resourceType":"Patient","multipleBirthInteger":01}"#),
        ("point without digits", #"{"resourceType":"Patient","multipleBirthInteger":1.}"#),
        ("exponent without digits", #"{"resourceType":"Patient","multipleBirthInteger":1e}"#),
        ("minus alone", #"{"resourceType":"Patient","multipleBirthInteger":-}"#),
        ("line feed in a string", "{\"resourceType\":\"Patient\",\"language\":\"a\nb\"}"),
        ("NUL in a string", "{\"resourceType\":\"Patient\",\"language\":\"a\u{0}b\"}"),
        ("NUL after the text", "{\"resourceType\":\"Patient\"}\u{0}"),
        ("unknown escape", #"{"resourceType":"Patient","language":"\x41"}"#),
        ("three digits of an escape", #"{"resourceType":"Patient","language":"\u00e"}"#),
        ("escape of a line end", "{\"resourceType\":\"Patient\",\"language\":\"a\\\nb\"}"),
        ("escaped quote at the end", #"{"resourceType":"Patient","language":"\"}"#), ("byte order mark twice", "\u{FEFF}\u{FEFF}{}"),
        ("byte order mark at the end", "{\"resourceType\":\"Patient\"}\u{FEFF}"),
    ]

    private static let endless: [Case] = [
        Case(name: "UTF-16", bytes: [0xFF, 0xFE] + "{}".utf16.flatMap { [UInt8($0), 0] }, isOwnWay: true),
        Case(name: "100,000 lists", bytes: text(Array(("\"x\":" + String(repeating: "[", count: 100_000)).utf8))),
        Case(name: "100,000 objects", bytes: text(Array(("\"x\":" + String(repeating: "{\"a\":", count: 100_000)).utf8))),
        Case(
            name: "100,000 lists that end",
            bytes: Array((String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)).utf8)),
    ]

    static let rejected: [Case] =
        malformed.map { Case(name: $0.name, bytes: Array($0.json.utf8), isOwnWay: $0.name == "comma at the end") } + endless

    @Test(arguments: rejected) func invalidTextsAreRefused(_ one: Case) {
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: Data(one.bytes), release: .r4) }
        // Lenient reading takes what is before bytes that are too many.
        do {
            let issues = try FHIRJSON.lenientResource(from: Data(one.bytes), release: .r4).issues
            #expect(issues.map(\.code) == [.trailingBytes])
        } catch { #expect(error is FHIRDecodingError) }
        if !one.isOwnWay { #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(one.bytes)) } }
    }

    /// Every beginning of a text, cut off at any byte.
    @Test func everyTruncatedTextIsRefused() throws {
        let json = Array(
            #"{"resourceType":"Patient","name":[{"given":["a\u00e9ö",null],"_given":[null,{"id":"x"}]}],"active":true,"multipleBirthInteger":12}"#
                .utf8)
        _ = try FHIRJSON.resource(from: Data(json), release: .r4)
        for length in json.indices {
            for isLenient in [false, true] {
                let error = try #require(throws: FHIRDecodingError.self) {
                    try FHIRJSONReader(release: .r4, isLenient: isLenient).resource(from: Data(json[..<length]))
                }
                #expect(error.offset <= length)
            }
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(json[..<length])) }
        }
    }

    // MARK: - May do either

    private static let brokenText: [(name: String, bytes: [UInt8])] = [
        ("continuation alone", [0x80]), ("two continuations", [0x80, 0xBF]), ("two bytes cut off", [0xC3]),
        ("three bytes cut off", [0xE2, 0x82]),
        ("four bytes cut off", [0xF0, 0x9F, 0x98]), ("overlong of two bytes", [0xC0, 0xAF]),
        ("overlong of three bytes", [0xE0, 0x80, 0xAF]),
        ("overlong of four bytes", [0xF0, 0x80, 0x80, 0xAF]), ("overlong NUL", [0xC0, 0x80]),
        ("encoded surrogate", [0xED, 0xA0, 0x80]),
        ("encoded pair", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]), ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]), ("byte FE", [0xFE]), ("byte FF", [0xFF]),
        ("Latin-1", [0x63, 0x61, 0x66, 0xE9]),
        ("first half of a pair", Array(#"\uD800"#.utf8)), ("second half of a pair", Array(#"\uDC00"#.utf8)),
        ("halves in the wrong order", Array(#"\uDC00\uD800"#.utf8)), ("first half twice", Array(#"\uD800\uD800"#.utf8)),
        ("half before a character", Array(#"\uD800a"#.utf8)), ("half before another escape", Array(#"\uD800\n"#.utf8)),
    ]

    private static let choices: [Case] = [
        Case(name: "byte order mark", bytes: [0xEF, 0xBB, 0xBF] + text(Array(#""active":true"#.utf8)), isOwnWay: true),
        Case(
            name: "member twice", bytes: text(Array(#""active":true,"active":false"#.utf8)), strict: .duplicateMember,
            mended: [.duplicateMember]),
        Case(
            name: "type twice", bytes: text(Array(#""resourceType":"Patient","active":true"#.utf8)), strict: .duplicateMember,
            mended: [.duplicateMember]),
        Case(name: "129 levels", bytes: nested(63), strict: .tooDeep, lenient: .tooDeep),
        Case(
            name: "integer beyond 32 bits", bytes: text(Array(#""multipleBirthInteger":2147483648"#.utf8)), strict: .invalidValue,
            mended: [.invalidValue]),
        Case(
            name: "integer beyond 64 bits", bytes: text(Array(#""multipleBirthInteger":9223372036854775808"#.utf8)),
            strict: .invalidValue, mended: [.invalidValue]),
        Case(
            name: "null for a value", bytes: text(Array(#""active":null"#.utf8)), strict: .wrongType, mended: [.wrongType]),
    ]

    static let either: [Case] =
        brokenText.map { Case(name: $0.name, bytes: language($0.bytes), strict: .invalidText, mended: [.invalidText]) } + choices

    @Test(arguments: either) func textsTheStandardLeavesOpenAreReadOrRefusedAsListed(_ one: Case) throws {
        if let code = one.strict {
            let error = try #require(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: Data(one.bytes), release: .r4) }
            #expect(error.code == code)
        } else {
            _ = try FHIRJSON.resource(from: Data(one.bytes), release: .r4)
        }
        if let code = one.lenient {
            let error = try #require(throws: FHIRDecodingError.self) { try FHIRJSON.lenientResource(from: Data(one.bytes), release: .r4) }
            #expect(error.code == code)
        } else {
            let (resource, issues) = try FHIRJSON.lenientResource(from: Data(one.bytes), release: .r4)
            #expect(Set(issues.map(\.code)) == Set(one.mended))
            let json = FHIRJSON.data(resource)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: json) }
        }
    }
}

extension FHIRResource {
    fileprivate var _language: String? { (self as? Patient)?.language }
}

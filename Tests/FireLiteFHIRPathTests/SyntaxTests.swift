import Foundation
import TestSupport
import Testing

@testable import FireLiteFHIRPath

/// Reading expressions: the grammar, positions of mistakes, printing, and hostile texts.
@Suite struct SyntaxTests {
    @Test func operatorsBindByPrecedence() throws {
        let equal: [(String, String)] = [
            ("1 + 2 * 3", "1 + (2 * 3)"), ("1 | 2 + 3", "1 | (2 + 3)"), ("a = b | c", "a = (b | c)"), ("a and b or c", "(a and b) or c"),
            ("a or b and c", "a or (b and c)"), ("a implies b or c", "a implies (b or c)"), ("a < b = c", "(a < b) = c"),
            ("1 > 2 is Boolean", "1 > (2 is Boolean)"), ("1 | 1 is Integer", "1 | 1 is Integer"), ("-1.abs()", "-(1.abs())"),
            ("a - b - c", "(a - b) - c"), ("a in b and c", "(a in b) and c"), ("a & b + c", "(a & b) + c"), ("-a + b", "(-a) + b"),
            ("a.b[0].c", "((a.b)[0]).c"), ("a is FHIR.Patient and b", "(a is FHIR.Patient) and b"), ("2 * 3 mod 4", "(2 * 3) mod 4"),
            ("a xor b or c", "(a xor b) or c"), ("a = b in c", "(a = b) in c"), ("a ~ b != c", "(a ~ b) != c"),
        ]
        for (short, long) in equal { #expect(try Parser.parse(short) == Parser.parse(long), "\(short)") }
        #expect(try Parser.parse("(1 | 1) is Integer") != Parser.parse("1 | 1 is Integer"))
    }

    @Test func mistakesHaveTheirPosition() throws {
        let mistakes: [(String, Int, Int)] = [
            ("", 1, 1), ("name.", 1, 6), ("2 + 2 /", 1, 8), ("2 /* open", 1, 3), ("name\n  .where(", 2, 10), ("'open", 1, 1), ("a b", 1, 3),
            ("a..b", 1, 3), ("(1", 1, 3), ("a[0", 1, 4), ("@2020-13", 1, 1), ("@T25:00", 1, 1), ("'\\x'", 1, 2), ("$other", 1, 1),
            ("%", 1, 1),
            ("a ? b", 1, 3), ("{1}", 1, 2), ("and", 1, 1), ("'ä' + ", 1, 7), ("@T10:30Z", 1, 1), ("'\\ud800'", 1, 2), ("a as 1", 1, 6),
        ]
        for (text, line, column) in mistakes {
            let error = #expect(throws: FHIRPathError.self, "\(text)") { try FHIRPath(text) }
            #expect(error?.code == .syntax, "\(text)")
            #expect(error?.line == line && error?.column == column, "\(text): \(error?.description ?? "")")
        }
        let unknown = #expect(throws: FHIRPathError.self) { try FHIRPath("name.wher(true)") }
        #expect(unknown?.code == .semantic && unknown?.position == 5)
        let arguments = #expect(throws: FHIRPathError.self) { try FHIRPath("name.where()") }
        #expect(arguments?.code == .semantic && arguments?.message.contains("1 argument") ?? false)
    }

    @Test func commentsAndEscapesAreRead() throws {
        Sample.expect([
            ("2 // two\n + 2", "4"), ("2 /* inner * / */ + 2", "4"), ("'a\\tb\\u0041\\'\\\\'.length()", "6"), ("`div`", ""),
            ("'\\ud83d\\ude00'.length()", "1"), ("\"double\"", "double"), ("  \t\r\n1 ", "1"), ("5L + 1", "6"), ("1.00", "1.00"),
        ])
    }

    /// Printing an expression and reading it again gives the same one.
    @Test func printedExpressionsReadBackEqual() throws {
        let texts = [
            "Patient.name.where(use = 'official').given.first()", "(1 + 2) * -3 - (4 - 5)", "a.b[1 + 1].c is FHIR.Quantity",
            "`a b`.`and`.contains('\\'\\\\\\n')", "%`ext-x` | %resource.id", "@2020T.toString() & @T10:30 & @2020-01-01T10:00:00.5+02:00",
            "4 days + 1 'mg' > 2.50 'mg'", "name.sort(-family, given desc)", "$this.select($index + $total)", "{} = {}", "(a as B).c",
            "-(-1)",
            "a implies (b implies c)", "(a = b) = c", "true and false.not()", "5L", "iif(a, b, c)", "is.as.in.contains", "`is`(Integer)",
        ]
        for text in texts {
            let syntax = try Parser.parse(text)
            #expect(try Parser.parse(syntax.description) == syntax, "\(text) → \(syntax)")
        }
    }

    @Test func randomExpressionsReadBackEqual() throws {
        for seed in 0..<Effort.count(400) {
            var random = SeededGenerator(seed: UInt64(seed))
            let syntax = RandomSyntax.expression(4, &random)
            let text = syntax.description
            #expect(try Parser.parse(text) == syntax, "seed \(seed): \(text)")
        }
    }

    // MARK: - Hostile texts

    @Test func deepTextsAreErrors() {
        let count = 50_000
        let texts = [
            String(repeating: "(", count: count), String(repeating: "-", count: count) + "1", String(repeating: "a.", count: 30_000) + "a",
            String(repeating: "a[", count: 30_000), String(repeating: "not(", count: 15_000), "1" + String(repeating: "+1", count: 30_000),
            "a" + String(repeating: "[0]", count: 20_000), String(repeating: "a.where(", count: 8_000),
            "1" + String(repeating: " is Any", count: 9_000),
            String(repeating: "x", count: 100_000), "1" + String(repeating: " or 1", count: 12_000), String(repeating: "{", count: count),
        ]
        for text in texts {
            let error = #expect(throws: FHIRPathError.self, "\(text.prefix(10))") { try FHIRPath(text) }
            #expect(error?.code == .limit || error?.code == .syntax, "\(text.prefix(10))")
        }
    }

    @Test func randomBytesNeverCrash() throws {
        let words = [
            "name", ".", "(", ")", "'", "where", "=", "$this", "%a", "@2020", "[", "]", "1", "-", "+", " ", "{", "}", "|", "is", "as", "`",
            "\\", "//",
            "/*", "@T1", "1.0", "days", ",", "\u{0}", "é", "'a'", "and", "select", "repeat", "$total", "9999999999999999999", "🙂",
        ]
        let patient = try Sample.patient()
        for seed in 0..<Effort.count(2_000) {
            var random = SeededGenerator(seed: UInt64(seed))
            let count = Int.random(in: 1...20, using: &random)
            var text = ""
            for _ in 0..<count { text += words[Int.random(in: 0..<words.count, using: &random)] }
            guard let path = try? FHIRPath(text) else { continue }
            _ = try? path.evaluate(on: patient)
        }
        for seed in 0..<Effort.count(2_000) {
            var random = SeededGenerator(seed: UInt64(seed))
            let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? FHIRPath(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func endlessEvaluationsEnd() throws {
        var options = FHIRPathOptions()
        options.maximumSteps = 100_000
        Sample.expect(
            [
                ("1.repeat($this + 1)", "error: limit"), ("1.repeatAll(1)", "error: limit"),
                (
                    "'aaaaaaaaaa'.select(replace('a', 'aaaaaaaaaa')).select(replace('a', 'aaaaaaaaaa')).select(replace('a', 'aaaaaaaaaa'))"
                        + ".select(replace('a', 'aaaaaaaaaa')).select(replace('a', 'aaaaaaaaaa')).select(replace('a', 'aaaaaaaaaa'))"
                        + ".select(replace('a', 'aaaaaaaaaa')).select(replace('a', 'aaaaaaaaaa')).length()", "error: limit"
                ),
                (
                    "(1 | 2).select((1 | 2).combine(1 | 2)).select((1 | 2 | 3).combine(1 | 2 | 3)).select((1|2|3).combine(1|2|3)).count()",
                    "288"
                ),
            ], options: options)
    }

    @Test func parsesAreCachedAndBounded() throws {
        let first = try FHIRPath("name.given.cached")
        #expect(try FHIRPath("name.given.cached").program === first.program)
        for number in 0...ProgramCache.limit { _ = try FHIRPath("\(number) + 1") }
        #expect(try FHIRPath("name.given.cached").program !== first.program)
        #expect(try FHIRPath("name.given.cached") == first)
    }

    /// An expression is found again by its bytes: é is one character or two, and Swift takes both for the same.
    @Test func expressionsThatDifferInTheirBytesAreDifferent() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        for _ in 0..<2 { Sample.expect([("'\(one)'.length()", "1"), ("'\(two)'.length()", "2"), ("'\(one)' = '\(two)'", "false")]) }
        #expect(try FHIRPath("'\(one)'") != FHIRPath("'\(two)'"))
    }

    @Test func partsAreFoundByCodePoints() {
        Sample.expect([
            (#"'a\r\nb'.split('\n').count()"#, "2"), (#"'a\r\nb'.replace('\n', 'x').length()"#, "4"),
            ("'\u{E9}'.replace('e\u{301}', 'x').length()", "1"), ("'\u{E9}e\u{301}'.split('e\u{301}').count()", "2"),
            (#"'\'\u0301'.escape('html').startsWith('&#39;')"#, "true"), (#"'\u00e9'.matches('^.$')"#, "true"),
            (#"'e\u0301'.matches('^.$')"#, "false"),
        ])
    }
}

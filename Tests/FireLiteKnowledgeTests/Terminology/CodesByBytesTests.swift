import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

/// Codes are compared by their bytes: é as one character and as two are two codes.
@Suite struct CodesByBytesTests {
    private static let (one, two) = ("\u{E9}", "e\u{301}")
    private static let system =
        #"{"resourceType":"CodeSystem","url":"http://example.org/c","status":"active","content":"complete","concept":[{"code":"\#(one)","display":"One"},{"code":"\#(two)","display":"Two"}]}"#

    private func terminology(_ compose: String) throws -> Terminology {
        var terminology = Terminology(release: .r4)
        let valueSet = #"{"resourceType":"ValueSet","url":"http://example.org/v","status":"active","compose":\#(compose)}"#
        for text in [Self.system, valueSet] { try terminology.add(contentsOf: Data(text.utf8)) }
        return terminology
    }

    private func codes(_ compose: String) throws -> [String] {
        try (terminology(compose).codes(inValueSet: "http://example.org/v") ?? []).map { $0.code.unicodeScalars.count == 1 ? "one" : "two" }
    }

    @Test func bothAreCodes() throws {
        #expect(try codes(#"{"include":[{"system":"http://example.org/c"}]}"#) == ["one", "two"])
        #expect(try codes(#"{"include":[{"system":"http://example.org/c","concept":[{"code":"\#(Self.one)"}]}]}"#) == ["one"])
        let exclude = #""exclude":[{"system":"http://example.org/c","concept":[{"code":"\#(Self.two)"}]}]"#
        #expect(try codes(#"{"include":[{"system":"http://example.org/c"}],\#(exclude)}"#) == ["one"])
    }

    @Test func eachIsItsOwnConcept() throws {
        let terminology = try terminology(#"{"include":[{"system":"http://example.org/c","concept":[{"code":"\#(Self.one)"}]}]}"#)
        for _ in 0..<2 {
            for (code, isMember) in [(Self.one, true), (Self.two, false), (Self.one, true)] {
                let code = TerminologyCode(code, system: "http://example.org/c")
                #expect(try terminology.validate(code, in: "http://example.org/v").isValid == isMember)
            }
        }
        for (code, display) in [(Self.one, "One"), (Self.two, "Two")] {
            #expect(
                try terminology.validate(TerminologyCode(code, system: "http://example.org/c"), in: "http://example.org/v").display
                    ?? display == display)
        }
    }
}

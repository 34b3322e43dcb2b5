import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

@Suite struct ExpansionTests {
    private typealias Examples = TerminologyExamples

    @Test(arguments: [
        (#"{"property":"concept","op":"is-a","value":"red"}"#, ["red", "crimson"]),
        (#"{"property":"concept","op":"descendent-of","value":"red"}"#, ["crimson"]),
        (#"{"property":"concept","op":"child-of","value":"color"}"#, ["red", "blue", "mauve"]),
        (#"{"property":"concept","op":"generalizes","value":"crimson"}"#, ["color", "red", "crimson"]),
        (#"{"property":"concept","op":"is-not-a","value":"red"}"#, ["color", "blue", "mauve"]),
        (#"{"property":"concept","op":"descendent-leaf","value":"color"}"#, ["crimson", "blue", "mauve"]),
        (#"{"property":"code","op":"regex","value":"[a-z]{4}"}"#, ["blue"]),
        (#"{"property":"code","op":"in","value":"red,blue,green"}"#, ["red", "blue"]),
        (#"{"property":"code","op":"not-in","value":"red,blue"}"#, ["color", "crimson", "mauve"]),
        (#"{"property":"warmth","op":"=","value":"9"}"#, ["red"]),
        (#"{"property":"warmth","op":"exists","value":"true"}"#, ["red", "blue"]),
        (#"{"property":"status","op":"=","value":"retired"}"#, ["mauve"]),
    ])
    func filtersLetTheirConceptsThrough(_ filter: String, _ expected: [String]) throws {
        let valueSet = Examples.valueSet("set", #"{"include":[{"system":"\#(Examples.colors)","filter":[\#(filter)]}]}"#)
        #expect(try Examples.codes(Examples.terminology(valueSet), "set") == expected)
    }

    @Test func aPropertyThatTheSystemLacksIsAnError() throws {
        let valueSet = Examples.valueSet(
            "set", #"{"include":[{"system":"\#(Examples.colors)","filter":[{"property":"size","op":"=","value":"9"}]}]}"#)
        let terminology = try Examples.terminology(valueSet)
        #expect(throws: TerminologyError.self) { try Examples.codes(terminology, "set") }
    }

    @Test func exclusionsAndInactiveCodesAreLeftOut() throws {
        let valueSet = Examples.valueSet(
            "set",
            #"{"inactive":false,"include":[{"system":"\#(Examples.colors)"}],"exclude":[{"system":"\#(Examples.colors)","concept":[{"code":"red"}]}]}"#
        )
        #expect(try Examples.codes(Examples.terminology(valueSet), "set") == ["color", "crimson", "blue"])
    }

    @Test func importsOfOnePartAreIntersected() throws {
        let one = Examples.valueSet("one", #"{"include":[{"system":"\#(Examples.colors)","concept":[{"code":"red"},{"code":"blue"}]}]}"#)
        let other = Examples.valueSet(
            "other", #"{"include":[{"system":"\#(Examples.colors)","concept":[{"code":"blue"},{"code":"mauve"}]}]}"#)
        let both = Examples.valueSet("both", #"{"include":[{"valueSet":["http://example.org/one","http://example.org/other"]}]}"#)
        let either = Examples.valueSet(
            "either", #"{"include":[{"valueSet":["http://example.org/one"]},{"valueSet":["http://example.org/other"]}]}"#)
        let terminology = try Examples.terminology(one, other, both, either)
        #expect(try Examples.codes(terminology, "both") == ["blue"])
        #expect(try Examples.codes(terminology, "either") == ["red", "blue", "mauve"])
    }

    @Test func conceptsAreBelowTheNearestIncludedOne() throws {
        let valueSet = Examples.valueSet("set", #"{"include":[{"system":"\#(Examples.colors)"}]}"#)
        let codes = try Examples.terminology(valueSet).expand("http://example.org/set").codes
        #expect(codes.map(\.depth) == [0, 1, 2, 1, 1])
        #expect(codes.first?.isAbstract == true && codes.last?.isInactive == true)
    }

    @Test func pagesAreTheWholeInParts() throws {
        let valueSet = Examples.valueSet("set", #"{"include":[{"system":"\#(Examples.colors)"}]}"#)
        let terminology = try Examples.terminology(valueSet)
        let whole = try Examples.codes(terminology, "set")
        for size in 1...6 {
            var parts: [String] = []
            for offset in stride(from: 0, to: 6, by: size) {
                let page = try terminology.expand("http://example.org/set", count: size, offset: offset)
                #expect(page.total == whole.count && page.codes.count <= size)
                parts += page.codes.map(\.code)
            }
            #expect(parts == whole, "pages of \(size)")
        }
    }

    @Test func aLargeExpansionNeedsPages() throws {
        let valueSet = Examples.valueSet("set", #"{"include":[{"system":"\#(Examples.colors)"}]}"#)
        var terminology = try Examples.terminology(valueSet)
        terminology.maximumExpansion = 4
        let error = #expect(throws: TerminologyError.self) { try Examples.codes(terminology, "set") }
        #expect(error?.code == .tooCostly)
        #expect(try terminology.expand("http://example.org/set", count: 2).codes.count == 2)
    }

    @Test func namesAreInTheWantedLanguage() throws {
        let valueSet = Examples.valueSet(
            "set", #"{"include":[{"system":"\#(Examples.colors)","concept":[{"code":"red"},{"code":"blue"}]}]}"#)
        let terminology = try Examples.terminology(valueSet)
        func names(_ language: String?) throws -> [String?] {
            try terminology.expand("http://example.org/set", language: language).codes.map(\.display)
        }
        #expect(try names(nil) == ["Red", "Blue"])
        #expect(try names("de") == ["Rot", "Blue"])
        #expect(try names("de-CH, en; q=0.5") == ["Rot", "Blue"])
        #expect(try names("de, *; q=0") == ["Rot", nil])
    }

    /// Random value sets, against a model that goes through every code.
    @Test func expansionAndMembershipAgree() throws {
        try withEvery(0..<60) { seed in
            var random = SeededGenerator(seed: seed)
            let codes = ["color", "red", "crimson", "blue", "mauve"]
            func part() -> String {
                switch random.int(0...2) {
                case 0: return #"{"system":"\#(Examples.colors)"}"#
                case 1:
                    let listed = codes.filter { _ in random.percent(50) }.map { #"{"code":"\#($0)"}"# }.joined(separator: ",")
                    return listed.isEmpty
                        ? #"{"system":"\#(Examples.colors)"}"# : #"{"system":"\#(Examples.colors)","concept":[\#(listed)]}"#
                default:
                    let op = random.pick(["is-a", "descendent-of", "child-of", "generalizes", "is-not-a"])
                    let value = random.pick(codes)
                    return #"{"system":"\#(Examples.colors)","filter":[{"property":"concept","op":"\#(op)","value":"\#(value)"}]}"#
                }
            }
            let includes = (0...random.int(0...2)).map { _ in part() }.joined(separator: ",")
            let excludes = random.percent(50) ? #","exclude":[\#(part())]"# : ""
            let terminology = try Examples.terminology(Examples.valueSet("set", #"{"include":[\#(includes)]\#(excludes)}"#))
            let expanded = Set(try Examples.codes(terminology, "set"))
            for code in codes {
                let answer = try terminology.membership(of: [TerminologyCode(code, system: Examples.colors)], in: "http://example.org/set")
                try #require((answer == .member) == expanded.contains(code), "\(code)")
            }
        }
    }
}

import FireLiteCore
import FireLiteFHIRPath
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Definitions that lead in circles, or ask for too much, have an answer or an error in bounded time.
@Suite struct TerminologyLimitTests {
    private typealias Examples = TerminologyExamples

    @Test func aValueSetThatIncludesItselfIsAnError() throws {
        let one = Examples.valueSet("one", #"{"include":[{"system":"\#(Examples.colors)"},{"valueSet":["http://example.org/two"]}]}"#)
        let two = Examples.valueSet(
            "two", #"{"include":[{"system":"\#(Examples.colors)"}],"exclude":[{"valueSet":["http://example.org/one"]}]}"#)
        let terminology = try Examples.terminology(one, two)
        for name in ["one", "two"] {
            let error = #expect(throws: TerminologyError.self) { try Examples.codes(terminology, name) }
            #expect(error?.code == .definition && error?.issues.first?.messageID == "VALUESET_CIRCULAR_REFERENCE")
            let answer = try terminology.membership(of: [TerminologyCode("red", system: Examples.colors)], in: "http://example.org/\(name)")
            guard case .unknown = answer else {
                Issue.record("a circle leaves the question open")
                return
            }
        }
    }

    @Test func aHierarchyWithACycleIsWalkedOnce() throws {
        let system = """
            {"resourceType":"CodeSystem","url":"http://example.org/circle","status":"active","content":"complete","concept":[
             {"code":"a","property":[{"code":"parent","valueCode":"c"}]},{"code":"b","property":[{"code":"parent","valueCode":"a"}]},
             {"code":"c","property":[{"code":"parent","valueCode":"b"}]},{"code":"d"}]}
            """
        let terminology = try Examples.terminology(system)
        #expect(try terminology.relation(of: "a", to: "c", in: "http://example.org/circle") == .subsumes)
        #expect(try terminology.relation(of: "a", to: "d", in: "http://example.org/circle") == .notSubsumed)
    }

    @Test(.timeLimit(.minutes(1))) func aHundredThousandIncludesAreAnswered() throws {
        let parts =
            (0..<100_000).map { #"{"system":"\#(Examples.colors)","concept":[{"code":"c\#($0)"}]}"# } + [
                #"{"system":"\#(Examples.colors)"}"#
            ]
        let terminology = try Examples.terminology(Examples.valueSet("set", #"{"include":[\#(parts.joined(separator: ","))]}"#))
        #expect(try terminology.membership(of: [TerminologyCode("red", system: Examples.colors)], in: "http://example.org/set") == .member)
        #expect(try Examples.codes(terminology, "set").count == 5)
    }

    @Test func aLongChainOfImportsIsAnError() throws {
        let chain = (0..<200).map { Examples.valueSet("v\($0)", #"{"include":[{"valueSet":["http://example.org/v\#($0 + 1)"]}]}"#) }
        var terminology = try Examples.terminology(Examples.valueSet("v200", #"{"include":[{"system":"\#(Examples.colors)"}]}"#))
        for definition in chain { try terminology.add(contentsOf: Data(definition.utf8)) }
        let error = #expect(throws: TerminologyError.self) { try Examples.codes(terminology, "v0") }
        #expect(error?.code == .tooCostly)
        #expect(try Examples.codes(terminology, "v180").count == 5)
    }

    /// Each level has two value sets that both import the next level: there are 2 to the 20th ways down, and each is short.
    @Test(.timeLimit(.minutes(1))) func valueSetsThatShareTheirImportsAreLookedAtOnce() throws {
        let levels = 22
        var terminology = try Examples.terminology(
            Examples.valueSet("v\(levels)", #"{"include":[{"system":"\#(Examples.colors)"}]}"#))
        func add(_ name: String, _ imported: [String]) throws {
            let parts = imported.map { #"{"valueSet":["http://example.org/\#($0)"]}"# }.joined(separator: ",")
            try terminology.add(contentsOf: Data(Examples.valueSet(name, #"{"include":[\#(parts)]}"#).utf8))
        }
        for level in 0..<levels {
            for name in ["a", "b"] { try add("\(name)\(level)", ["v\(level + 1)"]) }
            try add("v\(level)", ["a\(level)", "b\(level)"])
        }
        #expect(try Examples.codes(terminology, "v0").count == 5)
        for (code, isMember) in [("red", true), ("green", false)] {
            let answer = try terminology.membership(of: [TerminologyCode(code, system: Examples.colors)], in: "http://example.org/v0")
            #expect((answer == .member) == isMember)
        }
    }

    @Test(.timeLimit(.minutes(1))) func listsOfManyCodesAreComparedOnce() throws {
        let (count, ring) = (20_000, "http://example.org/ring")
        let concepts = (0..<count).map { #"{"code":"c\#($0)","property":[{"code":"parent","valueCode":"c\#(($0 + 1) % count)"}]}"# }
        let system = """
            {"resourceType":"CodeSystem","url":"\(ring)","status":"active","content":"complete","caseSensitive":false,
             "concept":[\(concepts.joined(separator: ","))]}
            """
        let listed = (0..<count).map { "C\($0 * 2)" }.joined(separator: ",")
        let excluded = (0..<count).map { #"{"system":"\#(ring)","concept":[{"code":"c\#($0 * 4)"}]}"# }.joined(separator: ",")
        func include(_ operation: String, _ value: String) -> String {
            #""include":[{"system":"\#(ring)","filter":[{"property":"concept","op":"\#(operation)","value":"\#(value)"}]}]"#
        }
        var terminology = try Examples.terminology(
            system, Examples.valueSet("even", "{\(include("in", listed))}"),
            Examples.valueSet("some", #"{\#(include("in", listed)),"exclude":[\#(excluded)]}"#),
            Examples.valueSet("odd", "{\(include("not-in", listed))}"), Examples.valueSet("none", "{\(include("is-not-a", "c1"))}"),
            Examples.valueSet("leaves", "{\(include("descendent-leaf", "c1"))}"))
        terminology.maximumExpansion = 50_000
        #expect(try Examples.codes(terminology, "even").count == count / 2)
        #expect(try Examples.codes(terminology, "some").count == count / 4)
        #expect(try Examples.codes(terminology, "odd").count == count / 2)
        // In a circle each is above each.
        #expect(try Examples.codes(terminology, "none").isEmpty && Examples.codes(terminology, "leaves").isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func aCodeWithManyParentsIsRead() throws {
        let numbers = 0..<50_000
        let parents = numbers.map { #"{"code":"parent","valueCode":"p\#($0)"}"# }.joined(separator: ",")
        let concepts = numbers.map { #"{"code":"p\#($0)"}"# }.joined(separator: ",")
        let system = """
            {"resourceType":"CodeSystem","url":"http://example.org/fan","status":"active","content":"complete",
             "concept":[{"code":"child","property":[\(parents)]},\(concepts)]}
            """
        let terminology = try Examples.terminology(system)
        #expect(try terminology.relation(of: "p49999", to: "child", in: "http://example.org/fan") == .subsumes)
    }

    /// With ten levels of fifty groups there would be 50 to the 10th ways.
    @Test(.timeLimit(.minutes(1))) func mapsThatReferToEachOtherAreAskedOnce() throws {
        func map(_ name: String, _ other: String) -> String {
            let onward = #"{"source":"http://example.org/a","unmapped":{"mode":"other-map","otherMap":"http://example.org/\#(other)"}}"#
            let own = #"{"source":"http://example.org/a","unmapped":{"mode":"fixed","code":"\#(name)"}}"#
            let groups = (Array(repeating: onward, count: 50) + [own]).joined(separator: ",")
            return #"{"resourceType":"ConceptMap","url":"http://example.org/\#(name)","status":"active","group":[\#(groups)]}"#
        }
        let terminology = try Examples.terminology(map("one", "two"), map("two", "one"))
        let found = try terminology.translate(TerminologyCode("x", system: "http://example.org/a"), by: "http://example.org/one")
        #expect(Set(found.map(\.target.code)) == ["one", "two"])
    }

    /// Words that the full-text index splits or does not have.
    @Test func everyTextIsAFilter() throws {
        let folder = try TemporaryFolder()
        var example = SnomedExamples()
        example.parents[1] = [0]
        let terminology = try example.terminology(folder)
        let all = "http://snomed.info/sct?fhir_vs"
        for text in [
            "e\u{20DD}x", "\"", "a\"*", "*", "NEAR(a b)", "thing OR", "\u{0}", "a\u{0}b", "\u{202E}", "x\u{0301}\u{0489}y", "½", "𝕏 👩‍👩‍👧",
            "^1",
        ] {
            #expect(try terminology.expand(all, filter: text, count: 3).codes.count <= 3, "\(text.unicodeScalars)")
            let term = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            _ = try terminology.expand("\(all)=ecl/* {{ term = \"\(term)\" }}", count: 3)
        }
        #expect(try terminology.expand(all, filter: "THÍNG 1", count: 3).codes.map(\.display) == ["Thing 1"])
    }

    @Test(.timeLimit(.minutes(1))) func anExpressionThatBlowsUpEnds() throws {
        let code = String(repeating: "a", count: 60)
        let system = """
            {"resourceType":"CodeSystem","url":"http://example.org/a","status":"active","content":"complete",
             "concept":[{"code":"\(code)!"},{"code":"\(code)"}]}
            """
        let valueSet = Examples.valueSet(
            "set", #"{"include":[{"system":"http://example.org/a","filter":[{"property":"code","op":"regex","value":"((a+)+)+"}]}]}"#)
        let terminology = try Examples.terminology(system, valueSet)
        // The right answer, or an error; which of them depends on the system's engine.
        do {
            #expect(try Examples.codes(terminology, "set") == [code])
        } catch let error as TerminologyError {
            #expect(error.code == .limit)
        }
    }

    @Test(arguments: ["", "[]", "{", #"{"resourceType":"Patient"}"#, #"{"resourceType":"Parameters","parameter":[{"name":"url"}]}"#])
    func requestsThatAreNoneAreErrors(_ request: String) throws {
        let terminology = try Examples.terminology()
        for operation in TerminologyOperation.allCases {
            #expect(throws: TerminologyError.self) { try terminology.perform(operation, parameters: Data(request.utf8)) }
        }
    }

    /// Texts with a few changed bytes are answered or refused, and never end the program.
    @Test func damagedDefinitionsAreAnsweredOrRefused() throws {
        let valueSet = Examples.valueSet(
            "set", #"{"include":[{"system":"\#(Examples.colors)","filter":[{"property":"concept","op":"is-a","value":"red"}]}]}"#)
        try withEvery(0..<300) { seed in
            var random = SeededGenerator(seed: seed)
            var terminology = Terminology(release: Examples.release)
            for text in [Examples.system, valueSet] {
                var bytes = Array(text.utf8)
                for _ in 0..<random.int(1...3) { bytes[random.int(0...bytes.count - 1)] = UInt8(random.int(32...126)) }
                do { try terminology.add(contentsOf: Data(bytes)) } catch is TerminologyError { continue }
            }
            do { _ = try Examples.codes(terminology, "set") } catch is TerminologyError {}
        }
    }

    @Test func pathsAskTheTerminology() throws {
        var context = FHIRPathContext()
        context.release = Examples.release
        context.terminology = try Examples.terminology(
            Examples.valueSet("warm", #"{"include":[{"system":"\#(Examples.colors)","concept":[{"code":"red"}]}]}"#))
        func truth(_ expression: String) throws -> Bool? { try FHIRPath(expression).evaluate(context: context).first?.bool }
        #expect(try truth("'red'.memberOf('http://example.org/warm')") == true)
        #expect(try truth("'blue'.memberOf('http://example.org/warm')") == false)
        #expect(try truth("'red'.memberOf('http://example.org/absent')") == nil)
        // A code of a Coding means nothing without its system.
        for (system, isMember) in [(#""system":"\#(Examples.colors)","#, true), ("", false), (#""system":"urn:other","#, false)] {
            let text = #"{"resourceType":"Observation","status":"final","code":{"coding":[{\#(system)"code":"red"}]}}"#
            let observation = try FHIRJSON.resource(from: Data(text.utf8), release: Examples.release)
            for path in ["code", "code.coding"] {
                let values = try FHIRPath("\(path).memberOf('http://example.org/warm')").evaluate(on: observation, context: context)
                #expect(values.first?.bool == isMember, "\(path) \(system)")
            }
        }
        let count = try FHIRPath("%terminologies.expand('http://example.org/warm').expansion.contains.code.count()").evaluate(
            context: context)
        #expect(count.first?.int == 1)
    }

    @Test func versionsAreOrderedByTheirParts() {
        for (older, newer) in [
            ("1.0.0", "1.2.0"), ("1.9", "1.10"), ("2.0.0-beta", "2.0.0"), ("2023-01-31", "2023-02-01"), ("20230101", "20240101"),
        ] {
            #expect(VersionPattern.isOlder(older, newer) && !VersionPattern.isOlder(newer, older), "\(older) \(newer)")
        }
        #expect(VersionPattern.matches("1.0.5", "1.0.x") && VersionPattern.matches("1.2.3", "1.x") && !VersionPattern.matches("1.0.0", "1"))
    }
}

import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Expression constraints mean what a plain model of the hierarchy says.
@Suite struct ECLTests {
    /// An expression with the numbers of the concepts that it means.
    private struct Case {
        let text: String
        let numbers: Set<Int>
    }

    /// Random expressions, each built together with its meaning.
    private struct Builder {
        let example: SnomedExamples
        var random: SeededGenerator

        mutating func leaf() -> Case {
            if random.int(0...9) == 0 { return Case(text: "*", numbers: example.active) }
            let number = random.int(0...example.parents.count - 1)
            return Case(text: "\(SnomedExamples.code(number)) |Thing|", numbers: [number])
        }

        mutating func expression(_ depth: Int) -> Case {
            if depth == 0 { return related(leaf()) }
            switch random.int(0...8) {
            case 0, 1: return related(parenthesized(depth))
            case 2:
                let (left, right) = (parenthesized(depth), parenthesized(depth))
                return Case(text: "\(left.text) AND \(right.text)", numbers: left.numbers.intersection(right.numbers))
            case 3:
                let (left, right) = (parenthesized(depth), parenthesized(depth))
                return Case(text: "\(left.text) or \(right.text)", numbers: left.numbers.union(right.numbers))
            case 4:
                let (left, right) = (parenthesized(depth), parenthesized(depth))
                return Case(text: "\(left.text) MINUS \(right.text)", numbers: left.numbers.subtracting(right.numbers))
            case 5:
                let refset = random.int(4...5)
                return Case(text: "^ \(SnomedExamples.code(refset))", numbers: example.members[refset] ?? [])
            case 6:
                let focus = parenthesized(depth)
                let type = random.int(1...3)
                let all = focus.numbers.flatMap { example.attributes[$0] ?? [] }.filter { $0.type == type }.map(\.target)
                return Case(text: "\(focus.text) . \(SnomedExamples.code(type))", numbers: Set(all))
            default:
                let focus = parenthesized(depth)
                let (text, test) = refinement(depth)
                return Case(text: "\(focus.text): \(text)", numbers: focus.numbers.filter { test($0) })
            }
        }

        private mutating func parenthesized(_ depth: Int) -> Case {
            let inner = expression(depth - 1)
            return Case(text: "(\(inner.text))", numbers: inner.numbers)
        }

        private mutating func related(_ inner: Case) -> Case {
            let all = inner.numbers
            let example = example
            func each(_ near: (Int) -> Set<Int>) -> Set<Int> { all.reduce(into: []) { $0.formUnion(near($1)) } }
            func children(_ number: Int) -> Set<Int> { Set(example.parents.filter { $0.value.contains(number) }.keys) }
            func parents(_ number: Int) -> Set<Int> { example.parents[number] ?? [] }
            let options: [(String, Set<Int>)] = [
                ("", all), ("<", each(example.below)), ("<<", each(example.below).union(all)), ("<!", each(children)),
                ("<<!", each(children).union(all)), (">", each(example.above)), (">>", each(example.above).union(all)),
                (">!", each(parents)),
                (">>!", each(parents).union(all)), ("!!>", all.filter { example.above($0).isDisjoint(with: all) }),
                ("!!<", all.filter { example.below($0).isDisjoint(with: all) }),
            ]
            let (sign, numbers) = options[random.int(0...options.count - 1)]
            return Case(text: "\(sign) \(inner.text)", numbers: numbers)
        }

        private mutating func refinement(_ depth: Int) -> (String, (Int) -> Bool) {
            let example = example
            func facts(_ number: Int) -> [SnomedExamples.Attribute] { Array(example.attributes[number] ?? []) }
            let type = random.int(1...3)
            let value = parenthesized(depth)
            let name = "\(SnomedExamples.code(type))"
            switch random.int(0...6) {
            case 0: return ("\(name) = \(value.text)", { facts($0).contains { $0.type == type && value.numbers.contains($0.target) } })
            case 1: return ("\(name) != \(value.text)", { facts($0).contains { $0.type == type && !value.numbers.contains($0.target) } })
            case 2:
                let (low, high) = (random.int(0...1), random.int(1...2))
                return (
                    "[\(low)..\(high)] \(name) = \(value.text)",
                    { number in
                        (low...high).contains(facts(number).filter { $0.type == type && value.numbers.contains($0.target) }.count)
                    }
                )
            case 3:
                return (
                    "R \(name) = \(value.text)",
                    { number in value.numbers.contains { facts($0).contains { $0.type == type && $0.target == number } } }
                )
            case 4:
                let other = random.int(1...3)
                return (
                    "{ \(name) = \(value.text), \(SnomedExamples.code(other)) = * }",
                    { number in
                        let all = facts(number)
                        let groups =
                            Set(all.map(\.group)).subtracting([0]).map { group in all.filter { $0.group == group } }
                            + all.filter { $0.group == 0 }.map { [$0] }
                        return groups.contains { group in
                            group.contains { $0.type == type && value.numbers.contains($0.target) }
                                && group.contains { $0.type == other && example.active.contains($0.target) }
                        }
                    }
                )
            case 5:
                let limit = random.int(1...4) * 10
                return ("\(SnomedExamples.code(3)) >= #\(limit)", { (example.strengths[$0] ?? 0) >= limit })
            default:
                let (left, one) = refinement(depth - 1 > 0 ? depth - 1 : 1)
                let isBoth = random.int(0...1) == 0
                let first: (Int) -> Bool = { facts($0).contains { $0.type == type && value.numbers.contains($0.target) } }
                return (
                    "(\(name) = \(value.text)) \(isBoth ? "," : "OR") (\(left))",
                    { isBoth ? first($0) && one($0) : first($0) || one($0) }
                )
            }
        }
    }

    @Test func randomExpressionsMeanWhatTheModelSays() throws {
        try withEvery(0..<4) { seed in
            let folder = try TemporaryFolder()
            let example = SnomedExamples.random(UInt64(seed), count: 80)
            let terminology = try example.terminology(folder)
            var builder = Builder(example: example, random: SeededGenerator(seed: UInt64(seed) + 100))
            for _ in 0..<100 {
                let item = builder.expression(builder.random.int(0...2))
                let url = "http://snomed.info/sct?fhir_vs=ecl/" + item.text
                let found = try terminology.expand(url).codes.map(\.code).filter { $0 != "\(SnomedExamples.isA)" }.sorted()
                let expected = item.numbers.map { "\(SnomedExamples.code($0))" }.sorted()
                #expect(found == expected, "\(item.text)")
                // One concept is asked for by another way than all of them.
                let number = builder.random.int(0...example.parents.count - 1)
                let answer = try terminology.membership(
                    of: [TerminologyCode("\(SnomedExamples.code(number))", system: SnomedCode.url)], in: url)
                #expect((answer == .member) == item.numbers.contains(number), "\(number) in \(item.text)")
            }
        }
    }

    @Test func filtersChooseNamesAndFacts() throws {
        let folder = try TemporaryFolder()
        var example = SnomedExamples()
        example.parents = [0: [], 1: [0], 2: [1], 3: [1], 4: []]
        example.inactive = [4]
        let terminology = try example.terminology(folder)
        func numbers(_ text: String) throws -> Set<Int> {
            let codes = Set(try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/" + text).codes.map(\.code))
            return Set(example.parents.keys.filter { codes.contains("\(SnomedExamples.code($0))") })
        }
        #expect(try numbers(#"* {{ term = "thing 2" }}"#) == [2])
        #expect(try numbers(#"* {{ term = ("thi 2" "thing 3"), type = syn }}"#) == [2, 3])
        #expect(try numbers(#"* {{ D term = wild:"*3 (t*", type = fsn, language = en }}"#) == [3])
        #expect(try numbers(#"* {{ term = "thing", dialect = en-us (prefer) }}"#) == [0, 1, 2, 3])
        #expect(try numbers(#"* {{ term = "thing", dialectId = 900000000000508004 }}"#) == [])
        #expect(try numbers("< \(SnomedExamples.root) {{ C definitionStatus = defined }}") == [3])
        #expect(try numbers("* {{ C active = 0 }}") == [4])
        #expect(try numbers(#"< \#(SnomedExamples.root) {{ C effectiveTime >= "20260101" }}"#) == [])
        #expect(try numbers("< \(SnomedExamples.root) /* all */ {{ C moduleId = 900000000000207008 }}") == [1, 2, 3])
    }

    @Test(arguments: [
        "", "<", "<< ", "1 AND", "1 AND 2 OR 3", "(1", "1)", "1 : 2", "1 : [2..1] 3 = 4", "1 : 2 > 3", "1 {{ term }}", "1 {{ color = 2 }}",
        "1 |x",
        #"1 {{ term = "x }}"#, "^ [targetComponentId, mapTarget] 5", "^ [] 5", "^ [mapTarget 5", #"1 {{ effectiveTime = "2025" }}"#,
        "^ 5 {{ M mapGroup > x }}", String(repeating: "(", count: 5_000),
        String(repeating: "1:((", count: 30) + "2", String(repeating: "1 OR ", count: 60_000),
    ])
    func whatIsNoExpressionIsAnErrorWithItsPlace(_ text: String) throws {
        let error = #expect(throws: TerminologyError.self) { try ECLParser.parse(text) }
        #expect(error?.message.contains("character") == true || error?.code == .tooCostly)
    }

    @Test func textsThatRepeatAreComparedInBoundedTime() {
        let pattern = String(repeating: "*a", count: 200) + "b"
        #expect(!ECLText.matches(String(repeating: "a", count: 5_000), ECLTerm(kind: .wild, text: pattern)))
    }
}

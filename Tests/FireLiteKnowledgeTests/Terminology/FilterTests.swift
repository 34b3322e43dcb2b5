import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Filters of value sets choose what FHIR says (value set FilterOperator), of definitions and of tables.
@Suite struct FilterTests {
    private static func url(_ number: Int) -> String { "http://example.org/filter\(number)" }

    /// The hierarchy of an example as a CodeSystem, each concept with its parents as properties.
    private static func definition(_ example: SnomedExamples) -> String {
        let concepts = example.parents.sorted { $0.key < $1.key }.map { number, parents in
            let properties = parents.sorted().map { #"{"code":"parent","valueCode":"\#(SnomedExamples.code($0))"}"# }
            let status = example.inactive.contains(number) ? [#"{"code":"inactive","valueBoolean":true}"#] : []
            return #"{"code":"\#(SnomedExamples.code(number))","property":[\#((properties + status).joined(separator: ","))]}"#
        }
        return
            #"{"resourceType":"CodeSystem","url":"http://example.org/same","status":"active","content":"complete","concept":[\#(concepts.joined(separator: ","))]}"#
    }

    @Test func everyOperatorChoosesWhatTheModelChooses() throws {
        try withEvery(0..<4) { seed in
            let folder = try TemporaryFolder()
            let example = SnomedExamples.random(UInt64(seed) + 50, count: 40)
            var terminology = try example.terminology(folder)
            try terminology.add(contentsOf: Data(Self.definition(example).utf8))
            let all = Set(example.parents.keys)
            var number = 0
            for concept in all.sorted() {
                let code = SnomedExamples.code(concept)
                let other = SnomedExamples.code((concept + 7) % all.count)
                let below = example.below(concept)
                let children = all.filter { example.parents[$0]?.contains(concept) == true }
                let pair: Set<Int> = [concept, (concept + 7) % all.count]
                var cases: [(property: String, op: String, value: String, expected: Set<Int>)] = [
                    ("concept", "is-a", "\(code)", below.union([concept])), ("concept", "descendent-of", "\(code)", below),
                    ("concept", "is-not-a", "\(code)", all.subtracting(below).subtracting([concept])),
                    ("concept", "child-of", "\(code)", children),
                    ("concept", "generalizes", "\(code)", example.above(concept).union([concept])),
                    ("concept", "descendent-leaf", "\(code)", below.filter { example.below($0).isEmpty }),
                    ("code", "=", "\(code)", [concept]), ("code", "not-in", "\(code), \(other)", all.subtracting(pair)),
                    ("parent", "=", "\(code)", children),
                    ("parent", "exists", "false", all.filter { example.parents[$0]?.isEmpty == true }),
                    (
                        "code", "regex", "1.*\(concept % 10).*",
                        all.filter { "\(SnomedExamples.code($0))".dropFirst().contains("\(concept % 10)") }
                    ),
                    ("inactive", "=", "true", example.inactive),
                ]
                // In SNOMED CT the value of `in` is a reference set.
                let listed = ("code", "in", "\(code),\(other)", pair)
                for system in ["http://example.org/same", SnomedCode.url] {
                    if system != SnomedCode.url { cases.append(listed) } else { cases.removeAll { $0.op == "in" } }
                    for item in cases {
                        number += 1
                        let filter = #"{"property":"\#(item.property)","op":"\#(item.op)","value":"\#(item.value)"}"#
                        let compose = #"{"include":[{"system":"\#(system)","filter":[\#(filter)]}]}"#
                        try terminology.add(contentsOf: Data(TerminologyExamples.valueSet("filter\(number)", compose).utf8))
                        let codes = Set(try TerminologyExamples.codes(terminology, "filter\(number)"))
                        let found = all.filter { codes.contains("\(SnomedExamples.code($0))") }
                        #expect(found == item.expected, "\(system) \(item)")
                        // A member is one by itself as well as in the list.
                        let answer = try terminology.membership(of: [TerminologyCode("\(other)", system: system)], in: Self.url(number))
                        #expect((answer == .member) == item.expected.contains((concept + 7) % all.count), "\(system) \(item)")
                    }
                }
            }
        }
    }

    @Test func aFilterOnAnUnknownPropertyIsAnErrorEverywhere() throws {
        let folder = try TemporaryFolder()
        var terminology = try SnomedExamples.random(1, count: 10).terminology(folder)
        for (number, system) in [TerminologyExamples.colors, SnomedCode.url].enumerated() {
            try terminology.add(contentsOf: Data(TerminologyExamples.system.utf8))
            let compose = #"{"include":[{"system":"\#(system)","filter":[{"property":"taste","op":"=","value":"sweet"}]}]}"#
            try terminology.add(contentsOf: Data(TerminologyExamples.valueSet("taste\(number)", compose).utf8))
            let error = #expect(throws: TerminologyError.self) { try TerminologyExamples.codes(terminology, "taste\(number)") }
            #expect(error?.issues.first?.messageID == "FILTER_NOT_UNDERSTOOD", "\(system)")
        }
    }
}

import TestSupport
import Testing

@testable import FireLiteKnowledge

/// The long syntax of expression constraints says in words what the brief one says in signs (Expression Constraint Language 2.2).
@Suite struct ECLSyntaxTests {
    @Test(arguments: [
        ("descendantOf 1", "< 1"), ("DescendantOrSelfOf 1 |Thing|", "<< 1"), ("childOf 1", "<! 1"), ("childOrSelfOf 1", "<<! 1"),
        ("ancestorOf 1", "> 1"), ("ancestorOrSelfOf 1", ">> 1"), ("parentOf 1", ">! 1"), ("PARENTORSELFOF 1", ">>! 1"),
        ("top (1 OR 2)", "!!> (1 OR 2)"), ("bottom (descendantOf 1)", "!!< (< 1)"), ("memberOf 1", "^ 1"), ("any", "*"),
        ("descendantOf(1 or descendantOf 2) minus memberOf 3", "< (1 OR < 2) MINUS ^ 3"), ("memberOf (descendantOf 1)", "^ (< 1)"),
        ("1: [0 to many] 2 = any, reverseOf 3 not = 4", "1: [0..*] 2 = *, R 3 != 4"),
        ("1: [1 TO 2] { 2 <> 3 }", "1: [1..2] { 2 != 3 }"),
        ("1: 2 NOT = #5", "1: 2 != #5"), ("1: 2 <> \"x\"", "1: 2 != \"x\""),
        (
            "1 {{ term not = match : \"x\", type = (fullySpecifiedName synonym definition) }}",
            "1 {{ D term != \"x\", type = (fsn syn def) }}"
        ),
        ("1 {{ dialect = en-us (preferred) }}", "1 {{ dialect = en-us (prefer) }}"),
        ("1 {{ dialectId = (900000000000509007 (accept prefer)) }}", "1 {{ dialectId = 900000000000509007 }}"),
        ("1 {{ typeId = (2 3) }}", "1 {{ typeId = (2 OR 3) }}"),
        ("1 {{ C definitionStatusId <> (2 |a| 3 |b|) }}", "1 {{ C definitionStatusId != (2 OR 3) }}"),
        ("1 {{ c moduleId = (2 3) }}", "1 {{ C moduleId = (2 OR 3) }}"), ("1 {{ + HISTORY }}", "1 {{ + history_max }}"),
    ])
    func wordsMeanWhatSignsMean(_ long: String, _ brief: String) throws { #expect(try ECLParser.parse(long) == ECLParser.parse(brief)) }

    @Test(arguments: [
        "descendantOf", "descendantsOf 1", "memberOf", "1: [0 to] 2 = 3", "1: 2 not 3", "1: reverseOf = 3", "1 {{ typeId = () }}",
        "1 {{ dialectId = (2 (never)) }}", "1 {{ C definitionStatus = (primitive other) }}", "1 {{ + HISTORY (2 }}",
        "1 {{ term = wild \"x\" }}",
        "1 {{ moduleId = }}", "1 {{ M active = 1 }}", "LOINC#1-8",
    ])
    func otherWordsAreErrorsWithTheirPlace(_ text: String) throws {
        let error = #expect(throws: TerminologyError.self) { try ECLParser.parse(text) }
        #expect(error?.message.contains("character") == true, "\(text)")
    }

    /// The long syntax in the midst of the brief one reads the same as the brief one alone.
    @Test func randomExpressionsReadTheSameInBothSyntaxes() throws {
        let words = [
            "<": "descendantOf", "<<": "descendantOrSelfOf", "<!": "childOf", "<<!": "childOrSelfOf", ">": "ancestorOf",
            ">>": "ancestorOrSelfOf", ">!": "parentOf", ">>!": "parentOrSelfOf", "!!>": "top", "!!<": "bottom", "^": "memberOf", "*": "any",
        ]
        try withEvery(0..<200) { seed in
            var random = SeededGenerator(seed: seed)
            var brief = "7"
            var long = "7"
            for _ in 0..<random.int(1...6) {
                let sign = words.keys.filter { $0 != "*" }.sorted()[random.int(0...words.count - 2)]
                let operation = ["AND", "OR", "MINUS"][random.int(0...2)]
                let isAny = random.int(0...1) == 0
                brief = "\(sign) (\(brief) \(operation) \(isAny ? "*" : "8"))"
                long = "\(words[sign] ?? "") (\(long) \(operation.lowercased()) \(isAny ? "ANY" : "8"))"
            }
            let (inWords, inSigns) = (try ECLParser.parse(long), try ECLParser.parse(brief))
            #expect(inWords == inSigns, "\(long)")
        }
    }

    @Test func filtersOnMetadataChooseByConceptAndByExpression() throws {
        let folder = try TemporaryFolder()
        var example = SnomedExamples()
        example.parents = [0: [], 1: [0], 2: [1], 3: [1]]
        let terminology = try example.terminology(folder)
        func numbers(_ text: String) throws -> Set<Int> {
            let codes = Set(try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/" + text).codes.map(\.code))
            return Set(example.parents.keys.filter { codes.contains("\(SnomedExamples.code($0))") })
        }
        let below = "< \(SnomedExamples.root)"
        // Concepts 0 and 3 are sufficiently defined.
        #expect(try numbers("\(below) {{ C definitionStatusId = 900000000000073002 }}") == [3])
        #expect(try numbers("\(below) {{ C definitionStatusId != 900000000000073002 }}") == [1, 2])
        #expect(try numbers("\(below) {{ C definitionStatusId = (900000000000073002 900000000000074008) }}") == [1, 2, 3])
        #expect(try numbers("\(below) {{ C definitionStatusId = 1 }}") == [])
        #expect(try numbers("\(below) {{ C definitionStatus = (primitive defined) }}") == [1, 2, 3])
        #expect(try numbers("\(below) {{ C definitionStatus != primitive }}") == [3])
        #expect(try numbers("* {{ term = \"thing 2\", typeId = (900000000000003001 1) }}") == [2])
        #expect(try numbers("* {{ term = \"thing 2\", typeId = 900000000000550004 }}") == [])
        #expect(try numbers("* {{ term = \"thing 2\", dialectId = (1 900000000000509007 (accept)) }}") == [])
        #expect(try numbers("* {{ term = \"thing 2\", dialectId = (1 900000000000509007 (accept prefer)) }}") == [2])
        // An asterisk with a backslash is one.
        #expect(try numbers("* {{ term = wild:\"thing*\" }}") == [0, 1, 2, 3])
        #expect(try numbers("* {{ term = wild:\"thing\\*\" }}") == [])
        #expect(ECLText.matches("a*b", ECLTerm(kind: .wild, text: "a\\*?")) && !ECLText.matches("axb", ECLTerm(kind: .wild, text: "a\\*?")))
    }
}

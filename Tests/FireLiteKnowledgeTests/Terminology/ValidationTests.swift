import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

@Suite struct ValidationTests {
    private typealias Examples = TerminologyExamples

    private static let warm = Examples.valueSet(
        "warm", #"{"include":[{"system":"\#(Examples.colors)","filter":[{"property":"concept","op":"is-a","value":"red"}]}]}"#)

    private func validation(_ code: TerminologyCode, language: String? = nil) throws -> CodeValidation {
        try Examples.terminology(Self.warm).validate(code, in: "http://example.org/warm", language: language)
    }

    @Test func aMemberIsValid() throws {
        let found = try validation(TerminologyCode("crimson", system: Examples.colors, display: "crimson"))
        #expect(found.isValid && found.display == "Crimson" && found.version == "1.0.0" && found.issues.isEmpty)
    }

    @Test(arguments: [
        (TerminologyCode("blue", system: Examples.colors), "not-in-vs", "Coding.code"),
        (TerminologyCode("red", system: Examples.colors, display: "Redd"), "invalid-display", "Coding.display"),
        (TerminologyCode("red", system: Examples.colors, version: "2.0.0"), "not-found", "Coding.system"),
        (TerminologyCode("red", system: "http://example.org/none"), "not-found", "Coding.system"),
        (TerminologyCode("red", system: "none"), "invalid-data", "Coding.system"),
        (TerminologyCode("pink", system: Examples.colors), "invalid-code", "Coding.code"),
    ])
    func issuesHaveAKindAndAPlace(_ code: TerminologyCode, _ kind: String, _ place: String) throws {
        let found = try validation(code)
        #expect(!found.isValid)
        #expect(found.issues.contains { $0.severity == .error && $0.kind == kind && $0.place == place }, "\(found.issues)")
    }

    @Test func namesOfOtherLanguagesAreWrongIfOneIsAskedFor() throws {
        let german = TerminologyCode("red", system: Examples.colors, display: "Rot")
        #expect(try validation(german).isValid)
        #expect(try validation(german, language: "de").isValid)
        #expect(try !validation(german, language: "en").isValid)
    }

    @Test func codesWithoutASystemTakeTheValueSets() throws {
        let terminology = try Examples.terminology(Self.warm)
        #expect(try terminology.membership(of: [TerminologyCode("red")], in: "http://example.org/warm") == .member)
        guard case .notMember = try terminology.membership(of: [TerminologyCode("blue")], in: "http://example.org/warm") else {
            Issue.record("blue is no member")
            return
        }
    }

    @Test func whatIsUnknownIsNeitherMemberNorNot() throws {
        let open = Examples.valueSet("open", #"{"include":[{"system":"http://example.org/none"}]}"#)
        let listed = Examples.valueSet("listed", #"{"include":[{"system":"http://example.org/none","concept":[{"code":"a"}]}]}"#)
        let terminology = try Examples.terminology(open, listed)
        func answer(_ code: String, _ name: String) throws -> TerminologyMembership {
            try terminology.membership(of: [TerminologyCode(code, system: "http://example.org/none")], in: "http://example.org/\(name)")
        }
        guard case .unknown = try answer("a", "open"), case .unknown = try answer("a", "absent"),
            case .notMember = try answer("b", "listed")
        else {
            Issue.record("unknown systems and value sets leave the question open, lists do not")
            return
        }
        #expect(try answer("a", "listed") == .member)
    }

    @Test func relationsFollowTheHierarchy() throws {
        let terminology = try Examples.terminology()
        #expect(try terminology.relation(of: "color", to: "crimson", in: Examples.colors) == .subsumes)
        #expect(try terminology.relation(of: "crimson", to: "red", in: Examples.colors) == .subsumedBy)
        #expect(try terminology.relation(of: "red", to: "red", in: Examples.colors) == .equivalent)
        #expect(try terminology.relation(of: "red", to: "blue", in: Examples.colors) == .notSubsumed)
        #expect(throws: TerminologyError.self) { try terminology.relation(of: "red", to: "pink", in: Examples.colors) }
    }

    @Test func lookupTellsNameDefinitionAndPlace() throws {
        let found = try Examples.terminology().lookup(TerminologyCode("red", system: Examples.colors), language: "de")
        #expect(found.display == "Rot" && found.parents == ["color"] && found.children == ["crimson"] && !found.isAbstract)
    }

    @Test func mapsTranslateForwards() throws {
        let map = """
            {"resourceType":"ConceptMap","url":"http://example.org/map","version":"1","status":"active","group":[
             {"source":"\(Examples.colors)","target":"http://example.org/paint","element":[
              {"code":"red","target":[{"code":"R1","relationship":"equivalent"}]}],
              "unmapped":{"mode":"fixed","code":"X","relationship":"related-to"}}]}
            """
        let terminology = try Examples.terminology(map)
        let red = try terminology.translate(TerminologyCode("red", system: Examples.colors))
        #expect(red.map(\.target.code) == ["R1"] && red.first?.relationship == "equivalent" && red.first?.map == "http://example.org/map|1")
        #expect(try terminology.translate(TerminologyCode("blue", system: Examples.colors)).map(\.target.code) == ["X"])
        #expect(try terminology.translate(TerminologyCode("red", system: "http://example.org/other")).isEmpty)
    }

    @Test(arguments: [
        ("http://unitsofmeasure.org", "mg/dL", true), ("http://unitsofmeasure.org", "mgg", false),
        ("urn:ietf:bcp:47", "de-CH", true), ("urn:ietf:bcp:47", "zh-Hant-TW", true), ("urn:ietf:bcp:47", "german", false),
        ("urn:ietf:bcp:13", "image/png", true), ("urn:ietf:bcp:13", "text/plain; charset=utf-8", true), ("urn:ietf:bcp:13", "png", false),
        ("urn:iso:std:iso:3166", "CH", true), ("urn:iso:std:iso:3166", "ZZZ", false),
        ("urn:iso:std:iso:4217", "EUR", true), ("urn:iso:std:iso:4217", "EURO", false),
        ("http://hl7.org/fhir/administrative-gender", "female", true), ("http://hl7.org/fhir/administrative-gender", "f", false),
    ])
    func systemsWithoutADefinitionAreKnown(_ system: String, _ code: String, _ isKnown: Bool) throws {
        let found = try Terminology(release: Examples.release).validate(TerminologyCode(code, system: system))
        #expect(found.isValid == isKnown, "\(String(describing: found.issues))")
    }
}

@Suite struct UncheckedDisplayTests {
    /// Of codes whose system defines no names, or none for a whole code, only the name of another code is wrong; `$validate-code` and a validator agree.
    @Test(arguments: [
        ("urn:ietf:bcp:47", "en-US", "English (United States)", CodeMembership.member),
        ("urn:ietf:bcp:47", "en-US", "English", .unknown), ("urn:ietf:bcp:47", "en-US", "English (Region=United States)", .unknown),
        ("urn:ietf:bcp:47", "en-GB", "English (Great Britain)", .unknown), ("urn:ietf:bcp:47", "nb", "Norwegian", .unknown),
        ("urn:ietf:bcp:47", "en-US", "German", .notMember), ("urn:ietf:bcp:47", "de", "English (Great Britain)", .notMember),
        ("urn:iso:std:iso:3166", "US", "United States of America", .unknown), ("urn:iso:std:iso:3166", "US", "Canada", .notMember),
        ("http://unitsofmeasure.org", "mm[Hg]", "mmHg", .unknown), ("http://unitsofmeasure.org", "mm[Hg]", "mm[Hg]", .member),
    ])
    func onlyTheNameOfAnotherIsWrong(_ system: String, _ code: String, _ display: String, _ expected: CodeMembership) throws {
        let terminology = Terminology(release: .r4)
        let found = try terminology.validate(TerminologyCode(code, system: system, display: display))
        #expect(found.isValid == (expected != .notMember))
        let severities = found.issues.filter { $0.kind == "invalid-display" }.map(\.severity)
        #expect(severities == (expected == .member ? [] : expected == .unknown ? [.warning] : [.error]))
        #expect(terminology.display(of: CodeQuestion(system: system, code: code, display: display)) == expected)

        let request = """
            {"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"\(system)"},{"name":"code","valueCode":"\(code)"},
             {"name":"display","valueString":"\(display)"}]}
            """
        let answer = try terminology.perform(.validateCodeInSystem, parameters: Data(request.utf8))
        let isValid = String(decoding: answer, as: UTF8.self).contains(#""valueBoolean":true"#)
        #expect(isValid == found.isValid)
    }
}

@Suite struct TerminologyBindingTests {
    private typealias Examples = TerminologyExamples

    @Test func aValidatorGetsTheAnswersOfATerminology() throws {
        let warm = Examples.valueSet(
            "warm", #"{"include":[{"system":"\#(Examples.colors)","filter":[{"property":"concept","op":"is-a","value":"red"}]}]}"#)
        let validator: any CodeValidator = try Examples.terminology(warm)
        let valueSet = Canonical("http://example.org/warm|1.0.0")
        func question(_ code: String) -> CodeQuestion { CodeQuestion(system: Examples.colors, code: code, display: "any") }
        #expect(validator.membership(of: question("crimson"), in: valueSet) == .member)
        #expect(validator.membership(of: question("blue"), in: valueSet) == .notMember)
        #expect(validator.membership(of: question("blue"), in: Canonical("http://example.org/absent")) == .unknown)
        #expect(validator.existence(of: question("blue")) == .member)
        #expect(validator.existence(of: question("pink")) == .notMember)
        #expect(validator.existence(of: CodeQuestion(system: "http://example.org/absent", code: "a")) == .unknown)
    }

    @Test func definitionsOfPackagesAreASource() throws {
        let knowledge = Knowledge(release: Examples.release)
        try knowledge.add(Data(Examples.system.utf8), source: "colors.json")
        var terminology = Terminology(release: Examples.release)
        #expect(throws: TerminologyError.self) { try terminology.lookup(TerminologyCode("red", system: Examples.colors)) }
        terminology = Terminology(release: Examples.release)
        terminology.add(knowledge)
        #expect(try terminology.lookup(TerminologyCode("red", system: Examples.colors)).display == "Red")
    }
}

@Suite struct ClosureTableTests {
    private typealias Examples = TerminologyExamples

    private func codes(_ names: String...) -> [TerminologyCode] { names.map { TerminologyCode($0, system: Examples.colors) } }

    /// In whatever order the codes come, the table has every pair in the end.
    @Test(arguments: [["color", "red", "crimson", "blue"], ["crimson", "blue", "color", "red"], ["blue", "crimson", "red", "color"]])
    func everyPairIsFoundOnce(_ order: [String]) throws {
        let terminology = try Examples.terminology()
        var table = ClosureTable(name: "test")
        for code in order { try table.add([TerminologyCode(code, system: Examples.colors)], using: terminology) }
        let pairs = table.relations.map { "\($0.special.code)<\($0.general.code)" }
        #expect(pairs.sorted() == ["blue<color", "crimson<color", "crimson<red", "red<color"])
        #expect(table.version == 4)
        #expect(try table.add(codes("red"), using: terminology).isEmpty)
    }

    private func request(_ rest: String) -> Data {
        Data(#"{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"mine"}\#(rest)]}"#.utf8)
    }

    private func concept(_ code: String) -> Data {
        request(#",{"name":"concept","valueCoding":{"system":"\#(Examples.colors)","code":"\#(code)"}}"#)
    }

    @Test func tablesAreBegunAndGoOnFromTheirVersions() throws {
        let terminology = try Examples.terminology()
        var tables = ClosureTables()
        func perform(_ parameters: Data) throws -> String {
            String(decoding: try tables.perform(parameters: parameters, using: terminology), as: UTF8.self)
        }
        #expect(throws: TerminologyError.self) { try perform(concept("red")) }
        _ = try perform(request(""))
        for code in ["crimson", "blue", "color"] { _ = try perform(concept(code)) }
        let added = try perform(concept("red"))
        #expect(added.contains(#""version":"4""#))
        // Nothing but what red adds: below color, and above crimson.
        #expect(
            added.contains(#"{"code":"crimson","target":[{"code":"red","#) && added.contains(#"{"code":"red","target":[{"code":"color","#))
        #expect(!added.contains("blue") && !added.contains(#"{"code":"crimson","target":[{"code":"color""#))
        let kept = try JSONDecoder().decode(ClosureTables.self, from: JSONEncoder().encode(tables))
        #expect(kept == tables)
        #expect(try perform(request(#",{"name":"version","valueString":"3"}"#)) == added)
        #expect(try perform(request(#",{"name":"version","valueString":"4"}"#)).contains("group") == false)
        for wrong in [
            #",{"name":"version","valueString":"5"}"#, #",{"name":"version","valueString":"x"}"#,
            #",{"name":"concept","valueString":"red"}"#,
        ] {
            #expect(throws: TerminologyError.self) { try perform(request(wrong)) }
        }
        #expect(throws: TerminologyError.self) { try tables.perform(parameters: Data("{}".utf8), using: terminology) }
        _ = try perform(request(""))
        #expect(tables.tables["mine"]?.version == 0 && tables.tables["mine"]?.codes.isEmpty == true)
    }

    /// A table answers as comparing every pair does, in whatever parts the codes come.
    @Test func tablesHaveThePairsOfTheHierarchy() throws {
        try withEvery(0..<6) { seed in
            let folder = try TemporaryFolder()
            let example = SnomedExamples.random(UInt64(seed) + 7, count: 30)
            let terminology = try example.terminology(folder)
            var random = SeededGenerator(seed: UInt64(seed))
            let all = example.parents.keys.sorted().shuffled(using: &random)
            var table = ClosureTable(name: "t")
            var rest = all[...]
            while !rest.isEmpty {
                let part = rest.prefix(random.int(1...9))
                rest = rest.dropFirst(part.count)
                try table.add(part.map { TerminologyCode("\(SnomedExamples.code($0))", system: SnomedCode.url) }, using: terminology)
            }
            let expected = all.flatMap { number in example.above(number).map { "\(SnomedExamples.code(number))<\(SnomedExamples.code($0))" }
            }
            #expect(table.relations.map { "\($0.special.code)<\($0.general.code)" }.sorted() == expected.sorted())
        }
    }

    @Test func anUnknownCodeLeavesTheTableAsItWas() throws {
        let terminology = try Examples.terminology()
        var table = ClosureTable(name: "test")
        try table.add(codes("red"), using: terminology)
        let before = table
        #expect(throws: TerminologyError.self) { try table.add(codes("color", "pink"), using: terminology) }
        #expect(table == before)
    }

    @Test func theMapHasWhatCameAfterAVersion() throws {
        let terminology = try Examples.terminology()
        var table = ClosureTable(name: "test")
        try table.add(codes("color", "red"), using: terminology)
        try table.add(codes("crimson"), using: terminology)
        #expect(!String(decoding: table.conceptMap(since: 1), as: UTF8.self).contains(#""code":"red","target""#))
        #expect(String(decoding: table.conceptMap(), as: UTF8.self).contains(#""code":"red","target""#))
    }

    @Test func anOtherNameOfACodeSystemIsTheCodeSystem() throws {
        let naming = """
            {"resourceType":"NamingSystem","status":"active","kind":"codesystem","uniqueId":[
             {"type":"oid","value":"1.2.3"},{"type":"uri","value":"\(TerminologyExamples.colors)","preferred":true}]}
            """
        let terminology = try TerminologyExamples.terminology(
            TerminologyExamples.valueSet("warm", #"{"include":[{"system":"\#(TerminologyExamples.colors)","concept":[{"code":"red"}]}]}"#),
            naming)
        let red = TerminologyCode("red", system: "urn:oid:1.2.3")
        #expect(try terminology.lookup(red).display == "Red")
        #expect(try terminology.membership(of: [red], in: "http://example.org/warm") == .member)
        let other = try terminology.membership(of: [TerminologyCode("red", system: "urn:oid:1.2.4")], in: "http://example.org/warm")
        #expect(other != .member)
    }
}

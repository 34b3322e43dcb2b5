import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// Searches with thousands of alternatives or parameters end with their results, and not at a limit of SQLite's.
@Suite struct LargeSearchTests {
    private static let number = 5_000

    private func sample(isIndexed: Bool) throws -> SearchStore {
        func observation(_ id: String, _ system: Int, _ code: Int) -> String {
            #"""
            {"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"urn:s\#(system)","code":"c\#(code)"}]},
             "subject":{"reference":"Patient/\#(code)"},"valueString":"text \#(code)"}
            """#
        }
        let sample = try SearchStore(
            observation("a", 0, 0), observation("b", 4_999, 4_999), observation("c", 2_500, 2_500), observation("d", 1, 2),
            observation("e", 6_000, 6_000))
        if isIndexed {
            for set in [StoreIndexSet.references, .identifiers, .codes, .dates] { try sample.store.createIndexes(set) }
        }
        return sample
    }

    private static func list(_ text: (Int) -> String) -> String { (0..<number).map(text).joined(separator: ",") }

    @Test(arguments: [false, true]) func thousandsOfAlternativesAreSets(isIndexed: Bool) throws {
        let sample = try sample(isIndexed: isIndexed)
        #expect(try sample.ids("Observation?code=" + Self.list { "c\($0)" }) == ["a", "b", "c", "d"])
        #expect(try sample.ids("Observation?code=" + Self.list { "urn:s1|c\($0)" }) == ["d"])
        #expect(try sample.ids("Observation?code=" + Self.list { "urn:s\($0)|c\($0)" }) == ["a", "b", "c"])
        #expect(try sample.ids("Observation?code=" + Self.list { "urn:s\($0)|" }) == ["a", "b", "c", "d"])
        #expect(try sample.ids("Observation?code:not=" + Self.list { "urn:s\($0)|c\($0)" }) == ["d", "e"])
        #expect(try sample.ids("Observation?subject=" + Self.list { "Patient/\($0)" }) == ["a", "b", "c", "d"])
        #expect(try sample.ids("Observation?subject=" + Self.list { "\($0)" }) == ["a", "b", "c", "d"])
        #expect(try sample.ids("Observation?_id=" + Self.list { $0 == 77 ? "d" : "x\($0)" }) == ["d"])
        #expect(try sample.ids("Observation?value-string=" + (0..<1_000).map { "text \($0 + 4_000)" }.joined(separator: ",")) == ["b"])
    }

    @Test(arguments: Effort.isNightly ? [false, true] : [false]) func thousandsOfParametersAreMet(isIndexed: Bool) throws {
        let sample = try sample(isIndexed: isIndexed)
        func all(_ parameter: (Int) -> String) -> String { (0..<3_000).map(parameter).joined(separator: "&") }
        #expect(try sample.ids("Observation?" + all { _ in "code=c0" }) == ["a"])
        #expect(try sample.ids("Observation?" + all { "code=c0,x\($0)" }) == ["a"])
        #expect(try sample.ids("Observation?" + all { "code:not=c\($0 + 1)" }) == ["a", "b", "e"])
        #expect(try sample.ids("Observation?" + all { "subject=Patient/0,Patient/\($0 + 10_000)" }) == ["a"])
    }

    @Test(arguments: [false, true]) func filtersHaveThousandsOfAlternatives(isIndexed: Bool) throws {
        let sample = try sample(isIndexed: isIndexed)
        func filter(_ word: String, _ part: (Int) -> String) throws -> [String] {
            let text = (0..<2_000).map(part).joined(separator: " \(word) ")
            return try sample.store.search(SearchRequest(type: "Observation").where("_filter", text), options: sample.options).matches
                .compactMap(\.id)
        }
        #expect(try filter("or") { "code eq c\($0 + 2_000)" } == ["c"])
        #expect(try filter("or") { "value-string eq \"text \($0)\"" } == ["a", "d"])
        #expect(try filter("or") { $0 % 2 == 0 ? "code eq c\($0)" : "subject eq Patient/\($0 + 4_000)" } == ["a", "b", "d"])
        #expect(try filter("and") { "not (code eq c\($0))" } == ["b", "c", "e"])
    }

    /// 300 patients, every other one of whom is male, and an Observation of each with a code and a value of its own.
    private func people(isIndexed: Bool) throws -> SearchStore {
        let sample = try SearchStore()
        try sample.store.write { tx in
            for number in 0..<300 {
                let gender = number % 2 == 0 ? "male" : "female"
                let patient = #"{"resourceType":"Patient","id":"p\#(number)","gender":"\#(gender)"}"#
                let observation = #"""
                    {"resourceType":"Observation","id":"o\#(number)","status":"final","code":{"coding":[{"code":"c\#(number)"}]},
                     "subject":{"reference":"Patient/p\#(number)"},"valueQuantity":{"value":\#(number)},
                     "component":[{"code":{"text":"x"},"valueQuantity":{"value":\#(number)}}]}
                    """#
                for json in [patient, observation] { try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
            }
        }
        if isIndexed { for set in [StoreIndexSet.references, .codes] { try sample.store.createIndexes(set) } }
        return sample
    }

    private func expect(
        _ found: [String], _ isMatch: (Int) -> Bool, _ message: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found.sorted() == (0..<300).filter(isMatch).map { "o\($0)" }.sorted(), message, sourceLocation: sourceLocation)
    }

    /// SQLite's time for each resource grows with the square of a statement's conditions: 1,500 in one statement take minutes.
    @Test(arguments: [false, true]) func conditionsOfOneRequestAreEvaluatedInGroups(isIndexed: Bool) throws {
        let sample = try people(isIndexed: isIndexed)
        func all(_ count: Int, _ parameter: (Int) -> String) throws -> [String] {
            try sample.ids("Observation?" + (0..<count).map(parameter).joined(separator: "&"))
        }
        let start = threadSeconds()
        expect(try all(1_500) { _ in "subject:Patient.gender=male" }, { $0 % 2 == 0 }, "the same chain")
        expect(try all(400) { "subject:Patient._id:not=p\($0 + 10)" }, { $0 < 10 }, "chains")
        expect(try all(400) { "subject:Patient._id=p7,p8,x\($0)" }, { $0 == 7 || $0 == 8 }, "chains that leave few")
        expect(try all(400) { "subject:Patient._id=z\($0)" }, { _ in false }, "chains that leave none")
        expect(try all(400) { "code:missing=false&code:not=c\($0 + 10)" }, { $0 < 10 }, "pairs")
        #expect(threadSeconds() - start < 60)
    }

    @Test(arguments: [false, true]) func partsOfFiltersAreEvaluatedInGroups(isIndexed: Bool) throws {
        let sample = try people(isIndexed: isIndexed)
        func filter(_ text: String) throws -> [String] {
            try sample.store.search(SearchRequest(type: "Observation").where("_filter", text), options: sample.options).matches
                .compactMap(\.id)
        }
        func parts(_ word: String, _ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined(separator: " \(word) ") }
        let start = threadSeconds()
        expect(try filter(parts("and", 2_000) { "code ne c\($0 + 100)" }), { $0 < 100 }, "and")
        expect(try filter(parts("and", 2_000) { _ in "code ne c7" }), { $0 != 7 }, "the same part")
        expect(try filter("not (" + parts("and", 500) { "code ne c\($0 + 100)" } + ")"), { $0 >= 100 }, "not all")
        expect(try filter(parts("or", 200) { "(code eq c\($0) and subject.gender eq male)" }), { $0 < 200 && $0 % 2 == 0 }, "or")
        expect(
            try filter("code eq c299 or " + parts("or", 200) { "(code eq c\($0) and status eq final)" }), { $0 < 200 || $0 == 299 },
            "list and or")
        #expect(threadSeconds() - start < 60)
    }

    /// Texts are searched for one by one, in each element of a name, so that they cannot be one list.
    @Test(arguments: [false, true]) func alternativesOfTextsAreEvaluatedInGroups(isIndexed: Bool) throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"a","name":[{"family":"Nord1","given":["X","Anna77"],"prefix":["Dr"],"suffix":["II"]}]}"#,
            #"{"resourceType":"Patient","id":"b","name":[{"family":"Süd","given":["B"],"prefix":["Dr"]},{"text":"north399"}]}"#,
            #"{"resourceType":"Patient","id":"c","name":[{"family":"West","suffix":["jr"]}]}"#,
            #"{"resourceType":"ValueSet","id":"v","status":"active","url":"http://a.org/7/x"}"#,
            #"""
            {"resourceType":"Observation","id":"o","status":"final","code":{"text":"Pulse"},
             "subject":{"reference":"Patient/b","display":"Ms 12"}}
            """#)
        if isIndexed { for set in [StoreIndexSet.references, .identifiers, .codes, .dates] { try sample.store.createIndexes(set) } }
        func list(_ text: (Int) -> String) -> String { (0..<400).map(text).joined(separator: ",") }
        #expect(try sample.ids("Patient?name=" + list { "NORTH\($0)" }) == ["b"])
        #expect(try sample.ids("Patient?name=" + list { "anna\($0)" } + ",sud") == ["a", "b"])
        #expect(try sample.ids("Patient?name:contains=" + list { "x\($0)" } + ",es") == ["c"])
        #expect(try sample.ids("Patient?name:exact=" + list { "X\($0)" } + ",West") == ["c"])
        #expect(try sample.ids("Patient?name=" + list { "x\($0)y" }).isEmpty)
        #expect(try sample.ids("Patient?family=nord,sud,west&_id=a,c&name=" + list { "j\($0)" } + ",jr") == ["c"])
        #expect(try sample.ids("Observation?subject:Patient.name=" + list { "north\($0)" }) == ["o"])
        #expect(try sample.ids("Observation?subject:text=" + list { "MS \($0)" }) == ["o"])
        #expect(try sample.ids("Observation?code:text=" + list { "p\($0)" } + ",pul") == ["o"])
        #expect(try sample.ids("ValueSet?url:below=" + list { "http://a.org/\($0)" }) == ["v"])
        #expect(try sample.ids("ValueSet?url:contains=" + list { "\($0 + 3)/X" }) == ["v"])
        // In one statement they take SQLite nearly a minute.
        let start = threadSeconds()
        if !isIndexed { #expect(try sample.ids("Patient?name=" + (0..<7_000).map { "anna\($0)" }.joined(separator: ",")) == ["a"]) }
        #expect(threadSeconds() - start < 40)
    }

    @Test func alternativesOfNumbersAndChainsIntoFiltersAreGroups() throws {
        let sample = try people(isIndexed: false)
        let values = (0..<400).map { "\($0 * 2)" }.joined(separator: ",")
        expect(try sample.ids("Observation?component-value-quantity=\(values)"), { $0 % 2 == 0 }, "a list")
        expect(try sample.ids("Observation?value-quantity=\(values)"), { $0 % 2 == 0 }, "a column")
        let text = (0..<300).map { "_id ne p\($0 + 20)" }.joined(separator: " and ")
        let request = SearchRequest(type: "Observation").where("subject:Patient._filter", text)
        expect(try sample.store.search(request, options: sample.options).matches.compactMap(\.id), { $0 < 20 }, "a chain into a filter")
    }

    @Test func manyConditionsOnContainedResourcesAreRefused() throws {
        let sample = try people(isIndexed: false)
        func search(_ count: Int) -> String {
            "Observation?_contained=true&" + (0..<count).map { "code:not=c\($0)" }.joined(separator: "&")
        }
        #expect(try sample.ids(search(20)).isEmpty)
        #expect(try sample.error(search(400))?.code == .notSupported)
    }

    /// A chain of as many references as are allowed.
    @Test(arguments: [false, true]) func longChainsAreFollowed(isIndexed: Bool) throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"p","name":[{"family":"Deep"}]}"#,
            #"{"resourceType":"Observation","id":"o0","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"}}"#)
        try sample.store.write { tx in
            for number in 1...11 {
                let json =
                    #"{"resourceType":"Observation","id":"o\#(number)","status":"final","code":{"text":"x"},"hasMember":[{"reference":"Observation/o\#(number - 1)"}]}"#
                try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4))
            }
        }
        if isIndexed { try sample.store.createIndexes(.references) }
        for depth in [1, 3, 6, 10] {
            let chain = Array(repeating: "has-member:Observation", count: depth).joined(separator: ".")
            #expect(try sample.ids("Observation?\(chain).subject:Patient.name=deep") == ["o\(depth)"], "\(depth)")
        }
    }
}

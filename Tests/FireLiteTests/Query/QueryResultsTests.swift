import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

@Suite(.soundStores) struct QueryResultsTests {
    private func store(_ count: Int = 30) throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            _ = try transaction.upsert(
                (0..<count).map { number in
                    Observation {
                        $0.id = "o\(number)"
                        $0.status = number % 3 == 0 ? .final : .amended
                        $0.code = CodeableConcept { $0.coding = [Coding { $0.code = "c\(number % 4)" }, Coding { $0.code = "all" }] }
                        $0.valueQuantity = Quantity { $0.value = FHIRDecimal("\(number % 7).50") }
                        $0.effectiveDateTime = FHIRDateTime("2020-01-01T00:00:0\(number % 10)+01:00")
                    }
                })
        }
        return store
    }

    @Test func projectionsReadTheirColumns() throws {
        let store = try store()
        let observations = store.query(Observation.self).limit(2)
        let rows = try observations.values(\.id, \.status, \.effectiveDateTime)
        #expect(rows.map(\.0) == ["o0", "o1"])
        #expect(rows.map(\.1) == [.final, .amended])
        #expect(rows.map(\.2?.literal) == ["2020-01-01T00:00:00+01:00", "2020-01-01T00:00:01+01:00"])
        let nested = try observations.values { ($0.valueQuantity.value, $0.code.coding.code) }
        #expect(nested.map(\.0?.literal) == ["0.50", "1.50"])
        #expect(nested.map(\.1) == ["c0", "c1"])
        #expect(try observations.values { $0.issued } == [nil, nil])
        #expect(try observations.values(\.id) == ["o0", "o1"])
    }

    @Test func aggregates() throws {
        let store = try store()
        let observations = store.query(Observation.self)
        #expect(try observations.distinct { $0.code.coding.code } == ["all", "c0", "c1", "c2", "c3"])
        let counts = try observations.where { $0.status == .final }.counts { $0.code.coding.code }
        #expect(counts.map(\.value) == ["all", "c0", "c3", "c1", "c2"] && counts.map(\.count) == [10, 3, 3, 2, 2])
        #expect(try observations.min { $0.valueQuantity.value }?.literal == "0.5")
        #expect(try observations.max { $0.effectiveDateTime }?.literal == "2019-12-31T23:00:09Z")
        #expect(try observations.max { $0.issued } == nil)
        // Of a part of the results, only these count.
        let some = observations.sort { $0.effectiveDateTime.ascending }.offset(1).limit(3)
        let values = try some.values { $0.effectiveDateTime }.compactMap { $0?.date }
        #expect(values.count == 3)
        #expect(try some.max { $0.effectiveDateTime }?.date == values.max() && some.min { $0.effectiveDateTime }?.date == values.min())
        #expect(try some.counts { $0.status }.reduce(0) { $0 + $1.count } == 3)
        #expect(try observations.limit(0).max { $0.effectiveDateTime } == nil)
    }

    /// Aggregates over lists against loops over the objects in memory; with a contained resource of the type, other statements give them.
    @Test(arguments: [false, true], [false, true]) func aggregatesOverLists(isContained: Bool, isIndexed: Bool) throws {
        let store = try freshStore()
        var random = SeededGenerator(seed: isContained ? 3 : 4)
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        func component() -> ObservationComponent {
            ObservationComponent {
                $0.code = CodeableConcept { concept in concept.coding = (0..<number(3)).map { _ in Coding { $0.code = "k\(number(5))" } } }
                if number(3) > 0 { $0.valueQuantity = Quantity { $0.value = FHIRDecimal("\(number(9)).5") } }
            }
        }
        let observations = (0..<60).map { place in
            Observation {
                $0.id = "\(place)"
                $0.status = place % 2 == 0 ? .final : .amended
                $0.component = (0..<number(4)).map { _ in component() }
                if isContained, place % 7 == 0 { $0.contained = [Observation { $0.component = [component(), component()] }] }
            }
        }
        try store.write { transaction in for observation in observations { try transaction.add(observation.copy()) } }
        if isIndexed { try store.createIndex(Observation.self) { $0.component.code.coding.code } }
        func codes(_ observation: Observation) -> Set<String> {
            Set(observation.component.flatMap { $0.code?.coding.compactMap(\.code) ?? [] })
        }
        func values(_ observation: Observation) -> [String] {
            observation.component.compactMap { $0.valueQuantity?.value?.literal }
        }
        func expectAggregates(_ query: FHIRQuery<Observation>, of observations: [Observation]) throws {
            var expected: [String: Int] = [:]
            for code in observations.flatMap(codes) { expected[code, default: 0] += 1 }
            let counts = try query.counts { $0.component.code.coding.code }
            #expect(Dictionary(uniqueKeysWithValues: counts.map { ($0.value, $0.count) }) == expected)
            #expect(counts.map(\.count) == counts.map(\.count).sorted(by: >))
            #expect(try query.distinct { $0.component.code.coding.code } == expected.keys.sorted())
            #expect(try query.min { $0.component.valueQuantity.value }?.literal == observations.flatMap(values).min())
            #expect(try query.max { $0.component.valueQuantity.value }?.literal == observations.flatMap(values).max())
            for code in expected.keys {
                let fit = query.where { $0.component.code.coding.code == code }
                #expect(try fit.count() == expected[code])
                #expect(try fit.count() == fit.ids().count)
            }
            #expect(try query.where { $0.component.code.coding.code == "none" }.count() == 0)
        }
        let query = store.query(Observation.self)
        try expectAggregates(query, of: observations)
        try expectAggregates(query.where { $0.status == .final }, of: observations.filter { $0.status == .final })
    }

    @Test func deletingAndUpdating() throws {
        let store = try store()
        let finals = store.query(Observation.self).where { $0.status == .final }
        #expect(try finals.update { $0.status = .cancelled } == 10)
        #expect(try finals.count() == 0)
        #expect(try store.query(Observation.self).where { $0.status == .cancelled }.delete() == 10)
        #expect(try store.count(Observation.self) == 20)
        #expect(try store.check() == [])
    }

    @Test func manyValues() throws {
        let store = try store()
        let observations = store.query(Observation.self)
        let ids = (0..<100_000).map { "o\($0 * 7)" }
        #expect(try observations.where { $0.id.in(ids) }.ids() == ["o0", "o7", "o14", "o21", "o28"])
        #expect(try observations.where { $0.valueQuantity.value.in((0..<6).map { Double($0) + 0.5 }) }.count() == 26)
        #expect(try observations.where { $0.valueQuantity.value.in(1.5...2.5) }.count() == 9)
        #expect(try observations.where { $0.effectiveDateTime.in(["2019", "2018"]) }.count() == 30)
        let odd = ["o1\u{0}", "quote\" \\ \n", "o3", "o4", "o5", "o6"]
        #expect(try observations.where { $0.id.in(odd) }.count() == 4)
    }

    @Test func pagesHoldWhileOthersWrite() throws {
        let store = try store()
        let query = store.query(Observation.self).sort { $0.valueQuantity.value.descending }
        let expected = try query.ids()
        var pages = query.pages(of: 7)
        var seen: [String] = []
        while let page = try pages.next() {
            seen += page.compactMap(\.id)
            // What was shown goes, and what sorts before it comes: neither moves the place.
            let gone = try #require(page.first)
            try store.write { transaction in
                try transaction.delete(gone)
                _ = try transaction.upsert(
                    Observation {
                        $0.id = "new\(seen.count)"; $0.valueQuantity = Quantity { $0.value = 99 }
                    })
            }
        }
        #expect(seen == expected)
        let page = try query.page(of: 3)
        let data = try JSONEncoder().encode(page.next)
        #expect(try query.after(JSONDecoder().decode(QueryCursor.self, from: data)).limit(2).ids() == Array(query.ids()[3..<5]))
    }

    @Test func sqlReadsOnly() throws {
        let store = try store()
        let rows = try store.sql(
            "SELECT id, valueQuantity_value AS value FROM Observation WHERE valueQuantity_value > ? LIMIT 1", arguments: [6])
        #expect(rows[0]["id"] == "o6" && rows[0]["value"] == 6.5 && rows[0]["nothing"].isNull)
        for sql in [
            "DELETE FROM Observation", "UPDATE Observation SET id = 'x'", "INSERT INTO _meta VALUES (1, 2)", "CREATE TABLE x(y)",
            "DROP TABLE Observation",
            "ATTACH 'x.sqlite' AS x", "PRAGMA user_version = 7", "PRAGMA query_only = 0", "COMMIT", "BEGIN", "SELECT load_extension('x')",
            "SELECT 1; DELETE FROM Observation", "", "WITH x AS (SELECT 1) DELETE FROM Observation", "VACUUM", "REINDEX",
            "EXPLAIN DELETE FROM Observation",
        ] {
            let error = #expect(throws: FHIRStoreError.self, "\(sql)") { try store.sql(sql) }
            #expect(error?.code == .invalidArgument, "\(sql)")
        }
        #expect(try store.count(Observation.self) == 30)
        #expect(try store.sql("PRAGMA table_info(Observation)").count > 3)
        if Library.hasPragmaFunctions { #expect(try store.sql("SELECT page_count > 3 FROM pragma_page_count")[0][0] == 1) }
        if Library.hasJSON { #expect(try store.sql("SELECT count(*) FROM json_each('[1,2]')")[0][0] == 2) }
        #expect(throws: FHIRStoreError.self) { try store.sql("SELECT ?", arguments: []) }
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        let error = #expect(throws: FHIRStoreError.self) { try store.sql(endless, isCancelled: { true }) }
        #expect(error?.code == .interrupted)
    }

    @Test func partialDatesCompareByTheirBounds() throws {
        let store = try freshStore()
        let dates = ["1969", "1970", "1970-06", "1970-06-15", "1971-01-01"]
        try store.write { transaction in
            for date in dates {
                try transaction.add(
                    Patient {
                        $0.id = date; $0.birthDate = FHIRDate(date)
                    })
            }
        }
        let patients = store.query(Patient.self)
        #expect(try patients.where { $0.birthDate == "1970" }.ids() == ["1970", "1970-06", "1970-06-15"])
        #expect(try patients.where { $0.birthDate == "1970-06-15" }.ids() == ["1970-06-15"])
        #expect(try patients.where { $0.birthDate.overlapping == "1970-06-15" }.ids() == ["1970", "1970-06", "1970-06-15"])
        #expect(try patients.where { $0.birthDate < "1970-06-15" }.ids() == ["1969"])
        #expect(try patients.where { $0.birthDate.overlapping < "1970-06-15" }.ids() == ["1969", "1970", "1970-06"])
        #expect(try patients.where { $0.birthDate > "1970-06-15" }.ids() == ["1971-01-01"])
        #expect(try patients.where { $0.birthDate.overlapping > "1970-06-15" }.ids() == ["1970", "1970-06", "1971-01-01"])
        #expect(try patients.where { $0.birthDate >= "1970-06-15" }.ids() == ["1970-06-15", "1971-01-01"])
        #expect(try patients.where { $0.birthDate <= "1970" }.ids() == ["1969", "1970", "1970-06", "1970-06-15"])
        #expect(try patients.where { $0.birthDate.between("1970-06", "1970-12") }.ids() == ["1970-06", "1970-06-15"])
    }

    @Test func textConditions() throws {
        let observations = Observation._layout
        let parser = PredicateParser(observations)
        let store = try store()
        func count(_ texts: String...) throws -> Int {
            var request = QueryRequest(observations)
            for text in texts { request.add(try parser.condition(text)) }
            return try store.count(request)
        }
        #expect(try count("status=final") == 10)
        #expect(try count("status!=final", "code.coding.code=c1") == 6)
        #expect(try count("effectiveDateTime<2020", "valueQuantity.value>=6.50") == 4)
        #expect(try count("issued=") == 30)
        #expect(try count("code.coding.count>2") == 0)
        #expect(try count("code.coding{code:in=c1,code!=all}") == 8)
        #expect(try count("code.coding[0].code^=c", "id~O1") == 11)
        #expect(try count("code.coding.code:in=\"c1\",c2") == 15)
        #expect(try count(#"code.coding{code:in="c1","x,y",display=}"#) == 8)
        #expect(try count("status=\"final\"", "effectiveDateTime<\"2020\"") == 10)
        #expect(try count("issued.count=0") == 30)
        for text in ["code.coding.count=x", "code.coding.count~2", "nothing.count=1"] {
            #expect(throws: FHIRStoreError.self, "\(text)") { try parser.condition(text) }
        }
        for text in ["status", "nothing=1", "code=1", "valueQuantity.value=x", "effectiveDateTime=x", "status.code=1", "contained.id=1"] {
            #expect(throws: FHIRStoreError.self, "\(text)") { try parser.condition(text) }
        }
    }
}

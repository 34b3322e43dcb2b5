import FireLiteR4
import Testing

@testable import FireLite

/// What queries read: the rows of their results and no others, and of tables those that they name.
@Suite(.soundStores) struct RowsReadTests {
    private func store(_ count: Int = 300) throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            _ = try transaction.upsert(
                (0..<count).map { number in
                    Observation {
                        $0.id = "o\(number)"
                        $0.status = number % 3 == 0 ? .final : .amended
                        $0.code = CodeableConcept { $0.coding = (0...number % 4).map { place in Coding { $0.code = "c\(place)" } } }
                        $0.note = number % 5 == 0 ? [Annotation { $0.text = "note" }] : []
                        $0.valueQuantity = Quantity { $0.value = FHIRDecimal("\(number % 7).50") }
                        $0.effectiveDateTime = FHIRDateTime("2020-01-01T00:00:\(10 + number % 50)+01:00")
                    }
                })
        }
        return store
    }

    /// How many rows the tables have of resources, by SQL alone.
    private func rows(_ ids: [String], _ store: FHIRStore) throws -> Int {
        let names = try store.sql("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap(\.values[0].text)
        let tables = try names.filter { try store.sql("PRAGMA table_info(\"\($0)\")").contains { $0["name"] == "_k" } }
        let list = ids.map { "'\($0)'" }.joined(separator: ",")
        return try tables.reduce(0) { sum, table in
            let count = try store.sql(
                "SELECT count(*) FROM \"\(table)\" WHERE _k >> 24 IN (SELECT _k >> 24 FROM Observation WHERE id IN (\(list)))")
            return sum + Int(count[0][0].integer ?? 0)
        }
    }

    @Test(arguments: [false, true]) func onlyRowsOfResultsAreRead(isIndexed: Bool) throws {
        let store = try store()
        if isIndexed {
            for set in StoreIndexSet.known { try store.createIndexes(set) }
        }
        func expectOwnRows(_ count: Int, _ results: (FHIRQuery<Observation>) throws -> [Observation]) throws {
            try store.read { transaction in
                let before = transaction.access.reader.rowsRead
                let found = try results(transaction.query(Observation.self))
                let read = transaction.access.reader.rowsRead - before
                #expect(found.count == count)
                let rows = try rows(found.compactMap(\.id), store)
                #expect(rows >= 2 * count)
                // A pass over a table knows that a result's rows have ended when it stands on the row behind them.
                let tables = try found.reduce(0) { sum, resource in sum + Set(try transaction.rows(of: resource).map(\.table)).count }
                #expect(read >= rows)
                #expect(read <= rows + tables)
            }
        }
        try expectOwnRows(100) { try $0.where { $0.status == .final }.all() }
        try expectOwnRows(75) { try $0.where { $0.code.coding.code == "c3" }.all() }
        try expectOwnRows(0) { try $0.where { $0.code.coding.code == "none" }.all() }
        try expectOwnRows(1) { try [$0.where { $0.code.coding.code == "c3" && $0.status == .amended }.first()].compactMap { $0 } }
        try expectOwnRows(3) { try $0.where { $0.valueQuantity.value > 6 && $0.status == .final }.limit(3).all() }
        try expectOwnRows(7) { try $0.limit(7).offset(200).all() }
        try expectOwnRows(10) { try $0.sort { $0.effectiveDateTime.descending }.page(of: 10).resources }
        try expectOwnRows(10) { query in
            let sorted = query.where { $0.status == .final }.sort { $0.effectiveDateTime.ascending }
            var cursor: QueryCursor?
            // The places of the first page, without its resources.
            try store.read { transaction in
                var request = sorted.limit(10).request
                request.limit = 10
                try transaction.forEachResult(request, withCursor: true) { row in
                    cursor = QueryCursor(values: [row.value(1)], key: row.int(0))
                    return true
                }
            }
            return try sorted.after(cursor).page(of: 10).resources
        }
        // What makes no resources reads no rows of them.
        try store.read { transaction throws in
            let before = transaction.access.reader.rowsRead
            let query = transaction.query(Observation.self).where { $0.code.coding.code == "c3" }
            #expect(try query.count() == 75)
            #expect(try query.ids().count == 75)
            #expect(try query.pks().count == 75)
            #expect(try query.exists())
            #expect(transaction.access.reader.rowsRead == before)
        }
    }

    /// The tables that a statement opens, and those it goes through from their first row, from SQLite's program for it.
    private func opened<Resource: FHIRResource>(_ query: FHIRQuery<Resource>, _ store: FHIRStore) throws -> (
        all: Set<String>, scanned: Set<String>
    ) {
        let sql = try query.sql
        return try opened(sql.text, sql.arguments, store)
    }

    private func opened(_ sql: String, _ arguments: [SQLValue], _ store: FHIRStore) throws -> (all: Set<String>, scanned: Set<String>) {
        let names = try store.sql("SELECT rootpage, name FROM sqlite_master WHERE rootpage > 0")
        let tables = Dictionary(uniqueKeysWithValues: names.map { ($0[0].integer ?? 0, $0[1].text ?? "") })
        var cursors: [Int64: String] = [:]
        var scanned: Set<String> = []
        for step in try store.sql("EXPLAIN " + sql, arguments: arguments) {
            let cursor = step["p1"].integer ?? -1
            switch step["opcode"].text {
            case "OpenRead": cursors[cursor] = tables[step["p2"].integer ?? 0] ?? "?"
            case "Rewind", "Last": if let table = cursors[cursor] { scanned.insert(table) }
            default: break
            }
        }
        return (Set(cursors.values), scanned)
    }

    @Test func anUnindexedScanOpensTheElementsTableOnly() throws {
        let store = try store()
        let observations = store.query(Observation.self)
        let own = try opened(observations.where { $0.status == .final && $0.valueQuantity.value > 3 }, store)
        #expect(own.all == ["Observation"] && own.scanned == ["Observation"])
        // The results' own rows are only looked up, by their keys.
        let nested = try opened(observations.where { $0.code.coding.code == "c3" }, store)
        #expect(nested.all == ["Observation", "Observation_code_coding"] && nested.scanned == ["Observation_code_coding"])
        let note = try opened(observations.where { $0.note.text.hasPrefix("n") }, store)
        #expect(note.all == ["Observation", "Observation_note"] && note.scanned == ["Observation_note"])
        try store.createIndex(Observation.self) { $0.code.coding.code }
        let indexed = try opened(observations.where { $0.code.coding.code == "c3" }, store)
        #expect(indexed.all == ["Observation", "Observation_code_coding__code"] && indexed.scanned.isEmpty)
    }

    /// What the statement that counts a query's results opens.
    private func openedToCount<Resource: FHIRResource>(_ query: FHIRQuery<Resource>, _ store: FHIRStore) throws -> Set<String> {
        let sql = try store.read { transaction in try #require(try transaction.statement(query.request)).counting(isOrdered: true).statement
        }
        return try opened(sql.sql, sql.arguments, store).all
    }

    @Test func aCountByAListOpensTheListsIndexOnly() throws {
        let store = try store()
        let query = store.query(Observation.self).where { $0.code.coding.code == "c3" }
        #expect(try openedToCount(query, store) == ["Observation_code_coding"])
        try store.createIndex(Observation.self) { $0.code.coding.code }
        #expect(try openedToCount(query, store) == ["Observation_code_coding__code"])
        #expect(try query.count() == 75)
        #expect(try openedToCount(query.where { $0.status == .final }, store).contains("Observation"))
        // From here on a row of the list may be that of a contained observation, which must not count.
        try store.write { transaction in
            let inner = Observation { $0.code = CodeableConcept { $0.coding = [Coding { $0.code = "c3" }] } }
            try transaction.add(Observation { $0.contained = [inner] })
        }
        #expect(try openedToCount(query, store).contains("Observation"))
        #expect(try query.count() == 75)
    }
}

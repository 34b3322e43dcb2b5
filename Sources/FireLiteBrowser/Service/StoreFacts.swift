import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// What pages need to know of a store and need not ask each time: its search parameters, its tables, its counts.
///
/// `@unchecked Sendable`: `lock` guards the caches.
final class StoreFacts: @unchecked Sendable {
    /// A column with the text of references.
    struct ReferenceColumn: Sendable {
        let table: String
        let column: String
    }

    private struct Known<Value> {
        let state: String
        let value: Value
    }

    private let store: FHIRStore
    private let lock = NSLock()
    private var parameters: [String: Known<[KnownParameter]>] = [:]
    private var columns: Known<[ReferenceColumn]>?
    private var sizes: Known<[String: Int]>?
    private var facets: [String: Known<[Facet]>] = [:]
    private var tables: Known<[String: Set<String>]>?
    private var rows: Known<TableCounts>?

    init(_ store: FHIRStore) { self.store = store }

    /// A text that is another after the file has changed.
    func state() -> String {
        guard !store.path.isEmpty, store.path != ":memory:" else { return "memory" }
        return ["", "-wal"].map { suffix -> String in
            var status = stat()
            guard stat(store.path + suffix, &status) == 0 else { return "0" }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            return "\(status.st_size).\(time.tv_sec).\(time.tv_nsec)"
        }.joined(separator: "-")
    }

    /// The size of the file with its write-ahead log, in bytes; nil for a store in memory.
    func bytes() -> Int? {
        var sum = 0
        for suffix in ["", "-wal"] {
            var status = stat()
            if stat(store.path + suffix, &status) == 0 { sum += Int(status.st_size) } else if suffix.isEmpty { return nil }
        }
        return sum
    }

    /// The search parameters of a type.
    func parameters(_ layout: Layout, _ call: PageCall) throws -> [KnownParameter] {
        // Those that resources of the store define change with them.
        let own = try call.counts().first { $0.typeName == "SearchParameter" }?.count ?? 0
        let state = own == 0 ? "" : self.state()
        if let known = lock.withLock({ parameters[layout.name] }), known.state == state { return known.value }
        let found = try call.transaction.searchParameters(of: layout)
        lock.withLock { parameters[layout.name] = Known(state: state, value: found) }
        return found
    }

    /// The columns of all tables of resources that hold references.
    func referenceColumns() throws -> [ReferenceColumn] {
        let state = try store.sql("PRAGMA schema_version").first?.values.first?.shown ?? ""
        if let known = lock.withLock({ columns }), known.state == state { return known.value }
        let found = try tableColumns().filter { $0.table.first.map { "A"..."Z" ~= $0 } ?? false }.flatMap { table, columns in
            columns.filter { $0 == "reference" || $0.hasSuffix("_reference") }.map { ReferenceColumn(table: table, column: $0) }
        }
        lock.withLock { columns = Known(state: state, value: found) }
        return found
    }

    /// The bytes of the tables and indexes of each type, by the type's name; those of the store itself under an empty name. Nil if there is no time.
    func sizes(_ budget: TimeBudget) throws -> [String: Int]? {
        let state = self.state()
        if let known = lock.withLock({ sizes }), known.state == state { return known.value }
        // SQLite reads each page, and a table without a pause in which it could be ended: some 3 µs a page.
        let pages = try store.sql("PRAGMA page_count").first?[0].intValue ?? 0
        // SQLite can be built without the table of sizes, as SQLCipher is on Debian.
        let hasSizes = (try? store.sql("SELECT name FROM dbstat WHERE aggregate = 1 LIMIT 0")) != nil
        guard hasSizes, budget.has(.microseconds(3 * pages)),
            let rows = try budget.rows(
                store,
                """
                SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_master s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY s.tbl_name
                """)
        else { return nil }
        var found: [String: Int] = [:]
        for row in rows {
            guard let table = row[0].textValue, let bytes = row[1].intValue else { continue }
            let type = table.hasPrefix("_") ? "" : String(table.prefix { $0 != "_" })
            found[type, default: 0] += bytes
        }
        lock.withLock { sizes = Known(state: state, value: found) }
        return found
    }

    /// The facets of all resources of a type, as far as there is time to count them.
    func facets(_ layout: Layout, _ parameters: [KnownParameter], _ call: PageCall) throws -> (facets: [Facet], isWhole: Bool) {
        let state = self.state()
        if let known = lock.withLock({ facets[layout.name] }), known.state == state, state != "memory" { return (known.value, true) }
        let found = try Facets.all(layout, parameters, call)
        if found.isWhole { lock.withLock { facets[layout.name] = Known(state: state, value: found.facets) } }
        return found
    }

    /// The columns of a table; none if there is no such table.
    func columns(of table: String) throws -> Set<String> { try schema()[table] ?? [] }

    /// The columns of all tables, by the table's name.
    func schema() throws -> [String: Set<String>] {
        let state = try store.sql("PRAGMA schema_version").first?.values.first?.shown ?? ""
        if let known = lock.withLock({ tables }), known.state == state { return known.value }
        var found: [String: Set<String>] = [:]
        for (table, columns) in try tableColumns() where !columns.isEmpty { found[table] = Set(columns) }
        lock.withLock { tables = Known(state: state, value: found) }
        return found
    }

    /// The tables in the order of their names, with their columns in that of the table.
    private func tableColumns() throws -> [(table: String, columns: [String])] {
        try store.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").compactMap { row in
            guard let table = row[0].textValue else { return nil }
            return (table, try store.sql("PRAGMA table_info(\(sqlName(table)))").compactMap { $0[1].textValue })
        }
    }

    /// The numbers of rows of all tables, as far as there is time to count them.
    func rowCounts(_ budget: TimeBudget) throws -> TableCounts {
        let state = self.state()
        if let known = lock.withLock({ rows }), known.state == state, state != "memory" { return known.value }
        let schema = try schema()
        let found = try TableCounts(
            schema.keys.filter { !$0.hasPrefix("sqlite_") }.sorted(), schema: schema, store, RowCounting(store), budget)
        if found.isWhole { lock.withLock { rows = Known(state: state, value: found) } }
        return found
    }
}

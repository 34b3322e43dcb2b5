import FireLiteSQLite

/// Reads the rows of resources with prepared statements, touching every value, and makes nothing of them.
///
/// `@unchecked Sendable`: one thread uses it at a time.
final class FloorReader: @unchecked Sendable {
    let database: RawDatabase
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let registration: OpaquePointer
    private let shapes: ShapeStatements
    private let lookups: KeyLookups
    /// How many rows were read, those of the registry not counted.
    private(set) var rows = 0
    /// How many rows of the registry were read.
    private(set) var registrations = 0
    /// Keeps the values from being optimized away.
    private(set) var sum: Int64 = 0

    /// - Parameters:
    ///   - keys: the resources that `readAll` and `roots` are about.
    ///   - cacheMB: a reading connection of a store has a quarter of the writing one's.
    init(_ path: String, keys: [ResourceKey] = [], cacheMB: Int = 16) throws {
        database = try RawDatabase(path, cacheMB: cacheMB)
        begin = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        registration = try database.prepare("SELECT root, shape, revision, nodes, digest, pk FROM _resource WHERE root = ?")
        shapes = try ShapeStatements(database) { "SELECT * FROM \"\($0)\" WHERE _k BETWEEN ? AND ? ORDER BY _k" }
        lookups = KeyLookups(database, keys) {
            """
            SELECT root, shape, revision, nodes, digest, pk FROM "\($0)" CROSS JOIN _resource ON root = _k >> 24
            WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1
            """
        }
    }

    func prepare(_ sql: String) throws -> OpaquePointer { try database.prepare(sql) }

    // MARK: - Transactions

    /// Reads inside a transaction: otherwise every statement would be one of its own, which is dearer.
    @inline(__always)
    func transaction(_ body: () -> Void) {
        sqlite3_step(begin)
        sqlite3_reset(begin)
        body()
        sqlite3_step(commit)
        sqlite3_reset(commit)
    }

    // MARK: - Resources

    /// Reads the rows of the resource with each of the keys in a transaction of its own, as one who wants one only does it.
    func readOneByOne() {
        for lookup in lookups.all { transaction { read(lookup) } }
    }

    /// Reads the rows of the resources with the keys in one transaction and in the order of the keys.
    func readAll() {
        transaction { for lookup in lookups.all { read(lookup) } }
    }

    /// Reads the rows of the resources with the keys in one transaction and in the order of the file, going through
    /// each table once.
    func readAllInFileOrder() {
        transaction {
            var found: [(root: Int64, shape: Int64)] = []
            found.reserveCapacity(lookups.all.count)
            for lookup in lookups.all { if let place = find(lookup) { found.append(place) } }
            found.sort { $0.root < $1.root }
            let cursors = FloorCursors(shapes, last: found.last?.root ?? 0)
            for place in found {
                registrations += 1
                cursors.forEachRow(root: place.root, shape: place.shape) { statement in
                    touch(statement, columns: sqlite3_column_count(statement))
                    rows += 1
                }
            }
            cursors.end()
        }
    }

    /// Reads the registry rows only.
    func readRegistrations() {
        transaction {
            for lookup in lookups.all {
                if lookups.run(lookup, { touch($0, columns: 6) }) != nil { registrations += 1 }
            }
        }
    }

    /// The numbers of the resources with the keys; -1 for what is not there.
    func roots() -> [Int64] { lookups.all.map { lookup in lookups.run(lookup) { sqlite3_column_int64($0, 0) } ?? -1 } }

    private func find(_ lookup: KeyLookups.Lookup) -> (root: Int64, shape: Int64)? {
        lookups.run(lookup) { statement in
            touch(statement, columns: 6)
            return (sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1))
        }
    }

    private func read(_ lookup: KeyLookups.Lookup) {
        if let found = find(lookup) { readRows(root: found.root, shape: found.shape) }
    }

    /// Reads the rows of the resource with this number.
    func read(root: Int64) {
        sqlite3_bind_int64(registration, 1, root)
        guard sqlite3_step(registration) == SQLITE_ROW else { return }
        touch(registration, columns: 6)
        let shape = sqlite3_column_int64(registration, 1)
        sqlite3_reset(registration)
        readRows(root: root, shape: shape)
    }

    private func readRows(root: Int64, shape: Int64) {
        registrations += 1
        shapes.forEach(shape, root: root) { statement in
            let columns = sqlite3_column_count(statement)
            while sqlite3_step(statement) == SQLITE_ROW {
                touch(statement, columns: columns)
                rows += 1
            }
        }
    }

    // MARK: - Queries

    /// Runs a query and touches every value of its result.
    func read(_ statement: OpaquePointer) {
        let columns = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
            touch(statement, columns: columns)
            rows += 1
        }
        sqlite3_reset(statement)
    }

    /// The first value of a query with one argument.
    func integer(_ statement: OpaquePointer, _ argument: String) -> Int64 { integers(statement, argument).first ?? 0 }

    /// The values of the first column of a query with one argument.
    func integers(_ statement: OpaquePointer, _ argument: String) -> [Int64] {
        sqlite3_bind_text(statement, 1, argument, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        var values: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW { values.append(sqlite3_column_int64(statement, 0)) }
        sqlite3_reset(statement)
        return values
    }

    /// Reads the rows of the resources whose numbers a query with one argument finds, in one transaction.
    ///
    /// - Returns: how many resources.
    func readResources(_ statement: OpaquePointer, _ argument: String) -> Int {
        var count = 0
        transaction {
            let roots = integers(statement, argument)
            for root in roots { read(root: root) }
            count = roots.count
        }
        return count
    }

    /// The texts in the first column of a query with one argument.
    func texts(_ statement: OpaquePointer, _ argument: String) -> [String] {
        sqlite3_bind_text(statement, 1, argument, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        var values: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { values.append(String(cString: text)) }
        }
        sqlite3_reset(statement)
        return values
    }

    /// Statements that read every table with rows of resources of these types from its beginning to its end, and their registry rows.
    func scans(of types: [String]) throws -> [OpaquePointer] {
        let own = try database.tables(of: types)
        // A table that holds rows of other types' resources too, because these contain some of this one.
        let others = try database.tables(of: database.types().filter { !types.contains($0) })
        let list = types.map { "'\($0)'" }.joined(separator: ", ")
        let shared = "CROSS JOIN _resource r ON r.root = t._k >> 24 WHERE r.shape IN (SELECT shape FROM _shape WHERE type IN (\(list)))"
        let tables = own.sorted().map { "SELECT t.* FROM \"\($0)\" t \(others.contains($0) ? shared : "") ORDER BY t._k" }
        let registries = types.map {
            "SELECT r.* FROM \"\($0)\" t CROSS JOIN _resource r ON r.root = t._k >> 24 WHERE t._parent IS NULL ORDER BY t._k"
        }
        return try (tables + registries).map { try database.prepare($0) }
    }

    @inline(__always)
    private func touch(_ statement: OpaquePointer, columns: Int32) {
        sum &+= RawDatabase.touch(statement, columns: columns)
    }
}

import FireLiteSQLite

/// Deletes the rows of resources with prepared statements: a key range in each table that the resource has rows in, and its registry row.
final class FloorDeleter {
    private let database: RawDatabase
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let registration: OpaquePointer
    private let shapes: ShapeStatements
    private let lookups: KeyLookups

    init(_ path: String, keys: [ResourceKey]) throws {
        database = try RawDatabase(path)
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        registration = try database.prepare("DELETE FROM _resource WHERE root = ?")
        shapes = try ShapeStatements(database) { "DELETE FROM \"\($0)\" WHERE _k BETWEEN ? AND ?" }
        lookups = KeyLookups(database, keys) {
            "SELECT root, shape FROM \"\($0)\" CROSS JOIN _resource ON root = _k >> 24 WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1"
        }
    }

    /// Deletes the resources with the keys.
    ///
    /// - Parameter isOneByOne: whether in a transaction each.
    func deleteAll(isOneByOne: Bool) {
        if !isOneByOne { step(begin) }
        for lookup in lookups.all {
            if isOneByOne { step(begin) }
            delete(lookup)
            if isOneByOne { step(commit) }
        }
        if !isOneByOne { step(commit) }
    }

    private func delete(_ lookup: KeyLookups.Lookup) {
        let found = lookups.run(lookup) { (root: sqlite3_column_int64($0, 0), shape: sqlite3_column_int64($0, 1)) }
        guard let found else { return }
        shapes.forEach(found.shape, root: found.root) { sqlite3_step($0) }
        sqlite3_bind_int64(registration, 1, found.root)
        step(registration)
    }

    private func step(_ statement: OpaquePointer) {
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

/// The tables that resources have rows in by the registry, and that the file does not have: another program has dropped them.
///
/// The library drops no table of a resource type, so a table that is missing was either never needed or is lost. Only the registry tells which.
struct LostTables {
    /// What the resources of a shape have lost.
    struct Loss {
        /// Their type.
        let type: String
        let tables: [String]
    }

    let path: String
    /// By the numbers of shapes that resources have.
    private(set) var shapes: [Int64: Loss] = [:]
    /// The lost tables by the types whose resources had rows in them, or whose tables they are; each list is sorted.
    private(set) var tables: [String: [String]] = [:]

    init(path: String) { self.path = path }

    /// - Parameters:
    ///   - present: the names of the tables that the file has.
    ///   - typeOf: the resource type whose elements are in a table; nil for a table that the release does not know.
    /// - Throws: `SQLiteError`. A registry that cannot be read names no lost tables: `check` says that it cannot be read.
    init(_ connection: Connection, present: Set<Substring>, typeOf: (String) -> String?) throws {
        path = connection.path
        do {
            try read(connection, present: present, typeOf: typeOf)
        } catch let error as SQLiteError where error.isDamage {
            shapes = [:]
            tables = [:]
        }
    }

    private mutating func read(_ connection: Connection, present: Set<Substring>, typeOf: (String) -> String?) throws {
        var candidates: [Int64: Loss] = [:]
        try Registry.forEachShape(connection) { number, type, names in
            let missing = names.split(separator: " ").filter { !present.contains($0) }.map(String.init).filter { typeOf($0) != nil }
            if !missing.isEmpty { candidates[number] = Loss(type: type, tables: missing) }
        }
        guard !candidates.isEmpty else { return }
        // The shapes of deleted resources stay. What no resource has rows in is no loss.
        let used = Set(try Registry.usedShapes(connection))
        shapes = candidates.filter { used.contains($0.key) }
        var found: [String: Set<String>] = [:]
        for loss in shapes.values {
            for table in loss.tables {
                found[loss.type, default: []].insert(table)
                if let type = typeOf(table) { found[type, default: []].insert(table) }
            }
        }
        tables = found.mapValues { $0.sorted() }
    }

    var isEmpty: Bool { shapes.isEmpty }

    /// The first of the types that have lost something, by name.
    var firstType: String? { tables.keys.min() }

    /// The number of each shape whose resources had rows in a table.
    func shapes(with table: String) -> [Int64] { shapes.filter { $0.value.tables.contains(table) }.map(\.key) }

    /// Refuses to read a type that has lost a table, as what is left would look like all there is.
    ///
    /// - Throws: `FHIRStoreError.notAStore`.
    func require(_ type: String) throws {
        guard let names = tables[type] else { return }
        throw error(type, names)
    }

    func error(_ type: String, _ names: [String]) -> FHIRStoreError {
        let what = names.count == 1 ? "the table \(names[0])" : "the tables \(names.joined(separator: ", "))"
        return FHIRStoreError(
            .notAStore,
            "\(path) has lost \(what), which another program has dropped, so no \(type) is read or written: `firelite check` says what is "
                + "missing, and `firelite recover` writes what is left to a new file")
    }
}

extension StorageSchema {
    /// What other programs have dropped. It is found out once for each state of the file's catalog, when it is first asked for.
    ///
    /// - Throws: `SQLiteError`.
    func lostTables(_ connection: Connection) throws -> LostTables {
        if let lost { return lost }
        let found = try LostTables(connection, present: storedNames) { self.table(named: $0)?.resourceName }
        lost = found
        return found
    }

    /// Refuses to read a type that has lost a table.
    ///
    /// - Throws: `FHIRStoreError.notAStore`; `SQLiteError`.
    func requireWhole(_ table: TablePlan, _ connection: Connection) throws {
        let lost = try lostTables(connection)
        if !lost.isEmpty { try lost.require(table.resourceName) }
    }

    /// Refuses to read all types if one has lost a table.
    ///
    /// - Throws: `FHIRStoreError.notAStore`; `SQLiteError`.
    func requireWhole(_ connection: Connection) throws {
        let lost = try lostTables(connection)
        if let type = lost.firstType { try lost.require(type) }
    }
}

import FireLiteSQLite

/// Look-ups by type and id, made ready so that nothing is left to do but to bind the id and to step.
final class KeyLookups {
    struct Lookup {
        fileprivate let statement: Int
        fileprivate let id: UnsafeMutablePointer<CChar>
        fileprivate let length: Int32
    }

    private let statements: LateStatements
    private(set) var all: [Lookup] = []

    /// - Parameter sql: what finds a resource of a type by its id, which is the one parameter.
    init(_ database: RawDatabase, _ keys: [ResourceKey], sql: (_ typeName: String) -> String) {
        statements = LateStatements(database)
        all.reserveCapacity(keys.count)
        var numbers: [String: Int] = [:]
        for key in keys {
            let number = numbers[key.typeName] ?? statements.number(of: sql(key.typeName))
            numbers[key.typeName] = number
            let id = UnsafeMutablePointer<CChar>.allocate(capacity: key.id.utf8.count)
            for (index, byte) in key.id.utf8.enumerated() { id[index] = CChar(bitPattern: byte) }
            all.append(Lookup(statement: number, id: id, length: Int32(key.id.utf8.count)))
        }
    }

    deinit {
        for lookup in all { lookup.id.deallocate() }
    }

    /// Runs a look-up, and calls `body` with the statement where something is found, for it to read the row.
    @inline(__always)
    func run<Value>(_ lookup: Lookup, _ body: (OpaquePointer) -> Value) -> Value? {
        let statement = statements[lookup.statement]
        // The id stays where it is: SQLite need not copy it.
        sqlite3_bind_text(statement, 1, lookup.id, lookup.length, nil)
        let result = sqlite3_step(statement) == SQLITE_ROW ? body(statement) : nil
        sqlite3_reset(statement)
        return result
    }
}

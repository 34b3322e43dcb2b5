import FireLiteSQLiteBridge

/// What a file says about a module that keeps tables in it: the row `module.…` of `_meta`.
struct ModuleRecord {
    let module: String
    let version: Int
    let tables: [String]

    private static let prefix = "module."

    init(_ tables: ModuleTables) {
        module = tables.module
        version = tables.version
        self.tables = tables.tables.map(\.name)
    }

    init(module: String, version: Int, tables: [String]) {
        self.module = module
        self.version = version
        self.tables = tables
    }

    /// The modules of this library, by whose names their tables are known if their rows are lost. Others' tables may have the same form.
    private static let ofThisLibrary: Set<String> = [
        "appdata", "audit", "blob", "blobfile", "blobkey", "outbox", "package", "permission", "record", "samples", "subscription", "sync",
        "thumbnail", "trust",
    ]

    /// The modules of this library that tables are of by their names, each with its tables in their order.
    static func modules(of tables: [String]) -> [(module: String, tables: [String])] {
        let grouped = Dictionary(grouping: tables) { String($0.dropFirst().prefix { $0 != "_" }) }
        return grouped.filter { ofThisLibrary.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Reads a row: `module.outbox`, `1 _outbox _outbox_server`. Nil for anything else.
    init?(key: String?, value: String?) {
        guard let key, let value, key.hasPrefix(Self.prefix) else { return nil }
        let parts = value.split(separator: " ").map(String.init)
        guard let version = parts.first.flatMap({ Int($0) }), version > 0 else { return nil }
        module = String(key.dropFirst(Self.prefix.count))
        self.version = version
        tables = Array(parts.dropFirst())
        let module = module
        guard tables.allSatisfy({ Self.isName($0, of: module) && !CatalogText.isOwn($0) }) else { return nil }
    }

    /// Whether a table may be a module's by its name.
    static func isName(_ table: String, of module: String) -> Bool {
        !module.isEmpty && module.utf8.allSatisfy { 97...122 ~= $0 } && (table == "_" + module || table.hasPrefix("_\(module)_"))
    }

    /// All records of a file.
    ///
    /// - Throws: `SQLiteError`.
    static func all(_ connection: Connection) throws -> [ModuleRecord] {
        let statement = try connection.cached("SELECT key, value FROM _meta WHERE key >= 'module.' AND key < 'module/' ORDER BY key")
        defer { statement.reset() }
        var records: [ModuleRecord] = []
        while try statement.step() {
            if let record = ModuleRecord(key: statement.text(0), value: statement.text(1)) { records.append(record) }
        }
        return records
    }

    /// Writes the record.
    ///
    /// - Throws: `SQLiteError`.
    func store(_ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        statement.bind(1, Self.prefix + module)
        statement.bind(2, ([String(version)] + tables).joined(separator: " "))
        try statement.run()
    }
}

/// The values of a module's statement, by number from 1; those without one are NULL. Bytes are not copied.
package struct ModuleValues {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    package func bind(_ index: Int, _ value: Int64) { statement.bind(index, value) }

    /// Binds a copy of a text.
    package func bind(_ index: Int, _ text: String) { statement.bind(index, text) }

    /// Binds UTF-8.
    package func bind(_ index: Int, text bytes: UnsafeRawBufferPointer) {
        // SQLite takes no address for NULL.
        guard let base = bytes.baseAddress else { return statement.bind(index, "") }
        statement.bind(index, unownedText: base.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    package func bind(_ index: Int, blob bytes: UnsafeRawBufferPointer) { statement.bind(index, unownedBlob: bytes) }
}

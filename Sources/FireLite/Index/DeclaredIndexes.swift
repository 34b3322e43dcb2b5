import FireLiteCore
import FireLiteSQLiteBridge

/// The declared indexes of a file: kept in its table `_index`, and created as soon as their columns exist.
struct DeclaredIndexes {
    let schema: StorageSchema
    let connection: Connection

    /// A row of `_index`.
    struct Declaration: Hashable {
        let name: String
        let kind: StoreIndex.Kind
        /// Empty for a set for all types.
        let type: String
        let table: String
        let columns: [String]
    }

    /// An index to create.
    struct Build {
        let name: String
        let table: TablePlan
        let sql: String
    }

    static func name(_ table: TablePlan, _ columns: [String]) -> String {
        ([table.name] + columns).joined(separator: IndexCatalog.separator)
    }

    /// The name of an index that ignores case.
    static func caselessName(_ table: TablePlan, _ column: String) -> String {
        name(table, [column, String(IndexCatalog.caselessEnding.dropFirst(IndexCatalog.separator.count))])
    }

    // MARK: - Declarations

    func createTable() throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS _index(name TEXT PRIMARY KEY, kind TEXT, type TEXT, source TEXT, columns TEXT) WITHOUT ROWID")
    }

    private var hasTable: Bool {
        get throws { try connection.integer("SELECT 1 FROM sqlite_master WHERE name = '_index' AND type = 'table'") != nil }
    }

    /// The declarations that the release's model knows; other names from a file reach no statement.
    func declarations() throws -> [Declaration] { try all().filter(isKnown) }

    /// The names of the declarations that the model does not know.
    func unknown() throws -> [String] { try all().filter { !isKnown($0) }.map(\.name) }

    /// Whether type, table and columns belong to the release.
    private func isKnown(_ declaration: Declaration) -> Bool {
        let isType = schema.release.hasResourceType(named: declaration.type)
        switch declaration.kind {
        case .set:
            return (isType || declaration.type.isEmpty) && declaration.columns.count == 1
                && StoreIndexSet.known.contains { $0.rawValue == declaration.columns[0] }
        case .values, .caseless, .fullText:
            guard isType, let table = schema.table(named: declaration.table), table.resourceName == declaration.type else { return false }
            return !declaration.columns.isEmpty && declaration.columns.allSatisfy { schema.hasColumn($0, in: table) }
        }
    }

    private func all() throws -> [Declaration] {
        guard try hasTable else { return [] }
        let statement = try connection.cached("SELECT name, kind, type, source, columns FROM _index ORDER BY name")
        defer { statement.reset() }
        var declarations: [Declaration] = []
        while try statement.step() {
            guard let name = statement.text(0), let kind = StoreIndex.Kind(rawValue: statement.text(1) ?? "") else { continue }
            declarations.append(
                Declaration(
                    name: name, kind: kind, type: statement.text(2) ?? "", table: statement.text(3) ?? "",
                    columns: (statement.text(4) ?? "").split(separator: " ").map(String.init)))
        }
        return declarations
    }

    func declare(_ declaration: Declaration) throws {
        try createTable()
        let statement = try connection.cached("INSERT OR REPLACE INTO _index(name, kind, type, source, columns) VALUES (?, ?, ?, ?, ?)")
        let values = [
            declaration.name, declaration.kind.rawValue, declaration.type, declaration.table, declaration.columns.joined(separator: " "),
        ]
        statement.bind(values.map { .text($0) })
        try statement.run()
    }

    func withdraw(_ name: String) throws {
        guard try hasTable else { return }
        let statement = try connection.cached("DELETE FROM _index WHERE name = ?")
        statement.bind([.text(name)])
        try statement.run()
    }

    // MARK: - Building

    /// The names of the indexes in the file.
    func built() throws -> Set<String> {
        let statement = try connection.cached("SELECT name FROM sqlite_master WHERE type = 'index' OR name LIKE '\\_text\\_%' ESCAPE '\\'")
        defer { statement.reset() }
        var names: Set<String> = []
        while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
        return names
    }

    /// The indexes of a declaration on the current tables, whether they exist or not.
    func builds(_ declaration: Declaration, on tables: [TablePlan]) -> [Build] {
        switch declaration.kind {
        case .values:
            guard let table = tables.first(where: { $0.name == declaration.table }), table.hasInFile(declaration.columns) else { return [] }
            return [build(table, declaration.columns)]
        case .caseless:
            guard let table = tables.first(where: { $0.name == declaration.table }), table.hasInFile(declaration.columns),
                let column = declaration.columns.first
            else { return [] }
            return [caselessBuild(table, column)]
        case .set:
            let set = StoreIndexSet(rawValue: declaration.columns.first ?? "")
            return tables.filter { $0.isInFile && (declaration.type.isEmpty || $0.resourceName == declaration.type) }.flatMap { table in
                table.columns.prefix(table.fileColumns).filter { set.has($0, in: table) }.map { build(table, [$0.name]) }
            }
        case .fullText: return []
        }
    }

    private func caselessBuild(_ table: TablePlan, _ column: String) -> Build {
        build(Self.caselessName(table, column), table, "\(quoted(column)) COLLATE NOCASE")
    }

    private func build(_ table: TablePlan, _ columns: [String]) -> Build {
        build(Self.name(table, columns), table, columns.map { quoted($0) }.joined(separator: ", "))
    }

    /// The beginning of a statement that builds an index.
    private static let creation = "CREATE INDEX IF NOT EXISTS "

    private func build(_ name: String, _ table: TablePlan, _ list: String) -> Build {
        // In a resource type's table, only resources that are not contained, as queries find only those.
        let part = table.isResource ? " WHERE _parent IS NULL" : ""
        return Build(name: name, table: table, sql: "\(Self.creation)\(quoted(name)) ON \(table.quotedName)(\(list))\(part)")
    }

    /// The indexes of the file that this library has built and that no declaration is of, by name: the declarations are lost.
    func undeclared() throws -> [String] {
        let declarations = try declarations()
        let tables = schema.storedTables
        let declared = Set(declarations.flatMap { builds($0, on: tables).map(\.name) })
        let texts = Set(declarations.filter { $0.kind == .fullText }.map { FullTextIndex.name($0.type) })
        let statement = try connection.prepare(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'table') ORDER BY name")
        var names: [String] = []
        while try statement.step() {
            guard let name = statement.text(0), let owner = statement.text(1), let sql = statement.text(2) else { continue }
            if name == owner {
                if name.hasPrefix("_text_"), sql.hasPrefix("CREATE VIRTUAL TABLE"), !texts.contains(name) { names.append(name) }
            } else if !declared.contains(name), let table = tables.first(where: { $0.name == owner }), isOwn(sql, name, table) {
                names.append(name)
            }
        }
        return names
    }

    /// Whether an index is as this library builds it for a declaration.
    private func isOwn(_ sql: String, _ name: String, _ table: TablePlan) -> Bool {
        guard name.hasPrefix(table.name + IndexCatalog.separator) else { return false }
        // The file's catalog leaves the condition of the statement out.
        let creation = Self.creation + sql.dropFirst("CREATE INDEX ".utf8.count)
        func isBuild(_ build: Build) -> Bool { build.name == name && build.sql == creation }
        let rest = name.dropFirst(table.name.utf8.count + IndexCatalog.separator.utf8.count)
        if name.hasSuffix(IndexCatalog.caselessEnding) {
            let column = String(rest.dropLast(IndexCatalog.caselessEnding.utf8.count))
            if table.hasInFile([column]), isBuild(caselessBuild(table, column)) { return true }
        }
        let columns = rest.split(separator: IndexCatalog.separator).map(String.init)
        return !columns.isEmpty && table.hasInFile(columns) && isBuild(build(table, columns))
    }

    /// The triggers of the full-text indexes on the current tables, by name.
    func triggers() throws -> [String: String] {
        var triggers: [String: String] = [:]
        for declaration in try declarations() where declaration.kind == .fullText {
            guard let table = schema.table(named: declaration.table), table.isInFile else { continue }
            for trigger in FullTextIndex.triggers(declaration.type, table, declaration.columns) { triggers[trigger.name] = trigger.sql }
        }
        return triggers
    }

    /// Creates declared indexes for tables that have new columns.
    func apply(to tables: [TablePlan]) throws {
        for declaration in try declarations() {
            if declaration.kind == .fullText {
                for table in tables where table.name == declaration.table {
                    try FullTextIndex(type: declaration.type, connection: connection).watch(table, declaration.columns)
                }
            } else {
                for build in builds(declaration, on: tables) { try connection.run(build.sql) }
            }
        }
    }
}

extension TablePlan {
    /// Whether the file has all of the columns.
    func hasInFile(_ names: [String]) -> Bool {
        guard isInFile else { return false }
        let present = Set(columns.prefix(fileColumns).map(\.name))
        return names.allSatisfy(present.contains)
    }

    /// The resource type whose elements are in the table.
    var resourceName: String {
        var table = self
        while let owner = table.owner { table = owner }
        return table.name
    }
}

extension StoreIndexSet {
    /// Whether a column belongs to the set.
    func has(_ column: ColumnPlan, in table: TablePlan) -> Bool {
        guard column.role == .main, column.slot >= 0 else { return false }
        let layout = table.groups[column.group].layout
        let element = layout.elements[column.slot]
        switch self {
        case .references: return layout.name == "Reference" && element.name == "reference"
        case .identifiers: return layout.name == "Identifier" && element.name == "value"
        case .codes: return layout.name == "Coding" && element.name == "code"
        case .dates: return table.isResource && element.primitive?.storage == .temporal
        default: return false
        }
    }
}

import FireLiteSQLiteBridge

/// A table that a module keeps in the store's file.
///
/// Its definition has one form, so that the store can check, recover and list it without the module: a key, columns with types and nothing
/// else, and indexes over columns.
package struct ModuleTable: Sendable, Hashable {
    /// The type of a column.
    package enum ColumnType: String, Sendable, Hashable, CaseIterable {
        case text = "TEXT"
        case integer = "INTEGER"
        case real = "REAL"
        case blob = "BLOB"
    }

    /// A column other than the key.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: ColumnType

        package init(_ name: String, _ type: ColumnType) {
            self.name = name
            self.type = type
        }
    }

    /// An index over columns of the table.
    package struct Index: Sendable, Hashable {
        package let columns: [String]
        package let isUnique: Bool

        package init(_ columns: String..., isUnique: Bool = false) { self.init(columns, isUnique: isUnique) }

        init(_ columns: [String], isUnique: Bool) {
            self.columns = columns
            self.isUnique = isUnique
        }
    }

    /// `_outbox`, or `_outbox_…`, of the module `outbox`.
    package let name: String
    /// The column `INTEGER PRIMARY KEY`. Its values are above zero.
    package let key: String
    package let columns: [Column]
    package let indexes: [Index]
    /// The statement that creates the table, as it stands in the file's catalog.
    let creation: String

    /// - Parameters:
    ///   - name: the module's name after an underscore, and further words after underscores.
    ///   - key: the column with the key, an integer above zero.
    ///   - columns: the other columns.
    ///   - indexes: its indexes.
    package init(_ name: String, key: String, columns: [Column], indexes: [Index] = []) {
        self.name = name
        self.key = key
        self.columns = columns
        self.indexes = indexes
        creation =
            "CREATE TABLE \(name)(\(key) INTEGER PRIMARY KEY" + columns.map { ", \($0.name) \($0.type.rawValue)" }.joined() + ")"
    }

    // MARK: - SQL

    /// The statement that creates an index.
    func creation(of index: Index) -> String {
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name)__\(index.columns.joined(separator: "_")) ON "
            + "\(name)(\(index.columns.joined(separator: ", ")))"
    }

    // MARK: - From the file

    /// The table that a definition in a file's catalog describes; nil for one in another form, which no module has written.
    init?(definition: String, indexes definitions: [String] = []) {
        let beginning = "CREATE TABLE "
        guard definition.hasPrefix(beginning), let (name, list) = Self.nameAndList(definition.dropFirst(beginning.count)) else {
            return nil
        }
        let parts = list.map { $0.split(separator: " ") }
        guard let key = parts.first, key.count == 4, key[1...].elementsEqual(["INTEGER", "PRIMARY", "KEY"]) else { return nil }
        var columns: [Column] = []
        for part in parts.dropFirst() {
            guard part.count == 2, let type = ColumnType(rawValue: String(part[1])) else { return nil }
            columns.append(Column(String(part[0]), type))
        }
        guard ([String(key[0])] + columns.map(\.name)).allSatisfy(Self.isName) else { return nil }
        let names = Set(columns.map(\.name))
        let indexes = definitions.compactMap { Self.index($0, on: name, names) }
        self.init(name, key: String(key[0]), columns: columns, indexes: indexes)
        // Whatever was read must be what this library writes, to the letter.
        guard creation == definition else { return nil }
    }

    private static func index(_ definition: String, on table: String, _ columns: Set<String>) -> Index? {
        for (isUnique, beginning) in [(false, "CREATE INDEX "), (true, "CREATE UNIQUE INDEX ")] where definition.hasPrefix(beginning) {
            guard let start = definition.range(of: " ON ")?.upperBound, let (name, list) = nameAndList(definition[start...]), name == table
            else { return nil }
            let names = list.map(String.init)
            return !names.isEmpty && names.allSatisfy(columns.contains) ? Index(names, isUnique: isUnique) : nil
        }
        return nil
    }

    /// The parts of `name(first, second)`.
    private static func nameAndList(_ text: Substring) -> (String, [Substring])? {
        guard let open = text.firstIndex(of: "("), text.last == ")" else { return nil }
        let name = String(text[..<open])
        guard isName(name), name.hasPrefix("_") else { return nil }
        let list = text[text.index(after: open)...].dropLast()
        return (name, list.split(separator: ",").map { $0.first == " " ? $0.dropFirst() : $0 })
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95 }
    }
}

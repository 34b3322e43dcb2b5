/// The tables of records and of app data, which have the same parts.
struct RecordTables: Sendable {
    let module: ModuleTables
    /// The table with a row for each record.
    let name: String
    /// Its key: the resource's number, or a number of the app data's own.
    let key: String

    /// Tables with the parts that both have.
    private init(_ module: String, key: String, _ columns: [ModuleTable.Column], _ indexes: [ModuleTable.Index]) {
        self.key = key
        name = "_" + module
        let shared: [ModuleTable.Column] = [
            // Times are milliseconds since 1970.
            .init("created", .integer), .init("updated", .integer), .init("deleted", .integer),
            // How often content and annotations have changed, which sealed ones are bound to.
            .init("version", .integer), .init("edition", .integer),
        ]
        self.module = ModuleTables(
            module: module, version: 1,
            tables: [
                ModuleTable("_" + module, key: key, columns: columns + shared, indexes: indexes + [.init("updated")]),
                ModuleTable(
                    "_\(module)_annotation", key: "number",
                    columns: [.init("owner", .integer), .init("text", .text), .init("keyed", .integer)],
                    indexes: [.init("text", "owner"), .init("owner")]),
                // The key of a sealed record, wrapped by a common key, and its annotations, sealed by its key.
                ModuleTable(
                    "_\(module)_key", key: "owner",
                    columns: [.init("common", .text), .init("wrapped", .blob), .init("annotations", .blob)],
                    indexes: [.init("common")]),
                ModuleTable("_\(module)_content", key: "owner", columns: [.init("content", .blob)]),
            ])
    }

    /// A row for each resource that was written while records were followed, and tombstones.
    static let records = RecordTables(
        "record", key: "root", [.init("type", .text), .init("id", .text), .init("revision", .integer)], [.init("type", "id")])

    static let appData = RecordTables("appdata", key: "number", [.init("type", .text), .init("id", .text)], [.init("id", isUnique: true)])
}

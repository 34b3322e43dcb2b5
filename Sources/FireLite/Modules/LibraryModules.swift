/// The tables of this library's modules. Recovery makes those that a file has lost again, empty: a module with a part of its tables can neither be
/// read nor written.
///
/// The modules define their tables themselves; a definition never changes, as a later version of a module only adds tables.
enum LibraryModules {
    /// The tables of a module; none for a module of other programs.
    static func tables(of module: String) -> [ModuleTable] {
        if module == PayloadTables.module { return PayloadTables.all }
        return all.filter { ModuleRecord.isName($0.name, of: module) }
    }

    /// The table with this name; nil if no module of this library has one.
    static func table(named name: String) -> ModuleTable? { (PayloadTables.all + all).first { $0.name == name } }

    /// Whether a key of `_meta` is that of a module's note of its own rows, by which it notices that some are lost.
    static func isNote(_ key: String) -> Bool { key == "samples.census" || key.hasPrefix("sync.rows ") }

    /// The tables whose rows name rows of another one by numbers, by the name of that one. If it is lost, its new rows get these numbers again, and the
    /// old rows would belong to them.
    static let dependents: [String: [String]] = [
        "_blob": ["_blob_chunk", "_blob_reference", "_blobfile", "_blobkey", "_thumbnail"],
        "_samples_name": ["_samples", "_samples_series", "_samples_sent"],
        "_sync_server": ["_sync_scope", "_sync_resource", "_sync_change", "_sync_unreadable", "_sync_missing", "_sync_subscription"],
        "_sync_scope": ["_sync_resource"],
        "_package": ["_package_definition"],
        "_appdata": ["_appdata_annotation", "_appdata_key", "_appdata_content"],
    ]

    /// A table whose rows belong to rows of another one.
    struct OwnedTable {
        let table: String
        let owner: String
        /// The key of the owners, which the column `owner` of the table names.
        let key: String

        /// Whether some tables have both, with the columns that name the owners.
        func isIn(_ tables: [ModuleTable]) -> Bool {
            tables.contains { $0.name == owner && $0.key == key }
                && tables.contains { $0.name == table && ($0.key == "owner" || $0.columns.contains { $0.name == "owner" }) }
        }

        /// The SQL that finds the rows without an owner.
        var isOwnerless: String { "owner IS NULL OR owner NOT IN (SELECT \(key) FROM \(owner))" }
    }

    /// The tables whose rows nothing reads without their owner: what records and app data have besides their own row. These rows and their owner are written
    /// and deleted together.
    static let owned = [("_record", "root"), ("_appdata", "number")].flatMap { owner, key in
        ["annotation", "key", "content"].map { OwnedTable(table: "\(owner)_\($0)", owner: owner, key: key) }
    }

    private static let all = records + attachments + samples + servers + trust + packages

    private static let records: [ModuleTable] = [
        ModuleTable(
            "_record", key: "root",
            columns: [
                .init("type", .text), .init("id", .text), .init("revision", .integer), .init("created", .integer),
                .init("updated", .integer), .init("deleted", .integer), .init("version", .integer), .init("edition", .integer),
            ], indexes: [.init("type", "id"), .init("updated")]),
        ModuleTable(
            "_record_annotation", key: "number", columns: [.init("owner", .integer), .init("text", .text), .init("keyed", .integer)],
            indexes: [.init("text", "owner"), .init("owner")]),
        ModuleTable(
            "_record_key", key: "owner", columns: [.init("common", .text), .init("wrapped", .blob), .init("annotations", .blob)],
            indexes: [.init("common")]),
        ModuleTable("_record_content", key: "owner", columns: [.init("content", .blob)]),
        ModuleTable(
            "_appdata", key: "number",
            columns: [
                .init("type", .text), .init("id", .text), .init("created", .integer), .init("updated", .integer),
                .init("deleted", .integer), .init("version", .integer), .init("edition", .integer),
            ], indexes: [.init("id", isUnique: true), .init("updated")]),
        ModuleTable(
            "_appdata_annotation", key: "number", columns: [.init("owner", .integer), .init("text", .text), .init("keyed", .integer)],
            indexes: [.init("text", "owner"), .init("owner")]),
        ModuleTable(
            "_appdata_key", key: "owner", columns: [.init("common", .text), .init("wrapped", .blob), .init("annotations", .blob)],
            indexes: [.init("common")]),
        ModuleTable("_appdata_content", key: "owner", columns: [.init("content", .blob)]),
    ]

    private static let attachments: [ModuleTable] = [
        ModuleTable("_blobfile", key: "blob", columns: [.init("name", .text)], indexes: [.init("name", isUnique: true)]),
        ModuleTable("_blobfile_policy", key: "policy", columns: [.init("minimum", .integer)]),
        ModuleTable("_blobkey", key: "blob", columns: [.init("common", .text), .init("wrapped", .blob)], indexes: [.init("common")]),
        ModuleTable(
            "_thumbnail", key: "thumbnail", columns: [.init("original", .integer), .init("height", .integer), .init("blob", .integer)],
            indexes: [.init("original"), .init("blob")]),
    ]

    private static let samples: [ModuleTable] = [
        ModuleTable(
            "_samples", key: "number",
            columns: [
                .init("uuid", .blob), .init("type", .integer), .init("start", .integer), .init("finish", .integer), .init("value", .real),
                .init("origin", .integer), .init("digest", .integer), .init("series", .integer),
            ], indexes: [.init("uuid", isUnique: true), .init("type", "start", "finish", "value", "origin")]),
        ModuleTable(
            "_samples_series", key: "number",
            columns: [.init("observation", .blob), .init("type", .integer), .init("start", .integer), .init("finish", .integer)],
            indexes: [.init("observation", isUnique: true)]),
        ModuleTable(
            "_samples_name", key: "number", columns: [.init("kind", .text), .init("name", .text), .init("label", .text)],
            indexes: [.init("kind", "name", isUnique: true)]),
        ModuleTable(
            "_samples_sent", key: "number",
            columns: [.init("target", .integer), .init("uuid", .blob), .init("digest", .integer), .init("location", .text)],
            indexes: [.init("target", "uuid", isUnique: true)]),
        ModuleTable(
            "_samples_anchor", key: "number",
            columns: [
                .init("target", .text), .init("source", .text), .init("type", .text), .init("anchor", .blob), .init("saved", .integer),
            ], indexes: [.init("target", "source", "type", isUnique: true)]),
    ]

    private static let servers: [ModuleTable] = [
        ModuleTable(
            "_outbox", key: "seq",
            columns: [
                .init("server", .text), .init("endpoint", .text), .init("method", .text), .init("path", .text), .init("parameters", .text),
                .init("fields", .text), .init("body", .blob), .init("mark", .text), .init("created", .integer), .init("refused", .integer),
                .init("attempts", .integer), .init("begun", .integer), .init("uncertain", .integer), .init("tried", .integer),
                .init("status", .integer), .init("error", .text), .init("outcome", .blob),
            ], indexes: [.init("server"), .init("server", "refused")]),
        ModuleTable(
            "_outbox_server", key: "number",
            columns: [
                .init("server", .text), .init("last", .integer), .init("resume", .integer), .init("owner", .text),
                .init("expires", .integer),
            ], indexes: [.init("server", isUnique: true)]),
        ModuleTable(
            "_subscription", key: "number",
            columns: [
                .init("id", .text), .init("generation", .integer), .init("subject", .text), .init("scopes", .text), .init("patient", .text),
                .init("since", .integer), .init("counted", .integer), .init("delivered", .integer), .init("error", .text),
            ], indexes: [.init("id", isUnique: true)]),
        ModuleTable(
            "_subscription_event", key: "number",
            columns: [
                .init("subscription", .text), .init("event", .integer), .init("kind", .integer), .init("type", .text), .init("id", .text),
                .init("version", .integer), .init("time", .integer),
            ], indexes: [.init("subscription", "event", isUnique: true)]),
        ModuleTable("_subscription_place", key: "number", columns: [.init("seq", .integer)]),
        ModuleTable(
            "_sync_server", key: "server",
            columns: [
                .init("base", .text), .init("started", .integer), .init("owner", .text), .init("until", .integer), .init("result", .text),
            ], indexes: [.init("base", isUnique: true)]),
        ModuleTable(
            "_sync_scope", key: "scope",
            columns: [
                .init("server", .integer), .init("search", .text), .init("type", .text), .init("since", .integer),
                .init("newest", .integer), .init("page", .text),
            ], indexes: [.init("server", "search", isUnique: true)]),
        ModuleTable(
            "_sync_resource", key: "resource",
            columns: [
                .init("server", .integer), .init("type", .text), .init("id", .text), .init("version", .text), .init("scope", .integer),
                .init("own", .integer),
            ], indexes: [.init("server", "type", "id", isUnique: true)]),
        ModuleTable(
            "_sync_change", key: "change",
            columns: [
                .init("server", .integer), .init("type", .text), .init("id", .text), .init("seq", .integer), .init("base", .text),
                .init("content", .text), .init("isEach", .integer), .init("sent", .integer), .init("earlier", .text),
                .init("state", .integer), .init("attempts", .integer), .init("status", .integer), .init("issues", .text),
                .init("remote", .text), .init("remoteVersion", .text),
            ], indexes: [.init("server", "type", "id"), .init("server", "state", "change")]),
        ModuleTable(
            "_sync_unreadable", key: "unreadable",
            columns: [
                .init("server", .integer), .init("type", .text), .init("id", .text), .init("version", .text), .init("text", .text),
                .init("reason", .text),
            ], indexes: [.init("server", "type", "id")]),
        ModuleTable(
            "_sync_missing", key: "missing",
            columns: [
                .init("server", .integer), .init("type", .text), .init("id", .text), .init("depth", .integer), .init("state", .integer),
                .init("status", .integer), .init("asked", .integer),
            ], indexes: [.init("server", "type", "id", isUnique: true), .init("server", "state", "missing")]),
        ModuleTable(
            "_sync_subscription", key: "subscription",
            columns: [
                .init("server", .integer), .init("id", .text), .init("types", .text), .init("topic", .text), .init("last", .integer),
                .init("until", .integer), .init("own", .integer),
            ], indexes: [.init("server", "id", isUnique: true)]),
    ]

    private static let trust: [ModuleTable] = [
        ModuleTable(
            "_audit", key: "seq",
            columns: [
                .init("at", .integer), .init("actor", .text), .init("action", .text), .init("type", .text), .init("id", .text),
                .init("version", .integer), .init("outcome", .text), .init("purpose", .text), .init("value", .blob), .init("salt", .blob),
                .init("hash", .blob),
            ]),
        ModuleTable(
            "_audit_head", key: "number",
            columns: [.init("size", .integer), .init("at", .integer), .init("root", .blob), .init("token", .text)]),
        ModuleTable("_audit_node", key: "node", columns: [.init("hash", .blob)]),
        ModuleTable(
            "_permission", key: "number",
            columns: [
                .init("consent", .text), .init("signer", .text), .init("version", .integer), .init("moment", .integer),
                .init("active", .integer), .init("content", .text), .init("signature", .text), .init("provenance", .text),
            ], indexes: [.init("consent", "signer", isUnique: true), .init("provenance")]),
        ModuleTable(
            "_trust_identity", key: "number",
            columns: [.init("id", .text), .init("name", .text), .init("reference", .text), .init("authority", .text)],
            indexes: [.init("id", isUnique: true)]),
        ModuleTable(
            "_trust_key", key: "number",
            columns: [
                .init("identity", .text), .init("kid", .text), .init("jwk", .text), .init("begins", .integer), .init("ends", .integer),
            ], indexes: [.init("kid", isUnique: true), .init("identity")]),
        ModuleTable(
            "_trust_nonce", key: "number", columns: [.init("issuer", .text), .init("nonce", .text), .init("expires", .integer)],
            indexes: [.init("issuer", "nonce", isUnique: true), .init("expires")]),
    ]

    private static let packages: [ModuleTable] = [
        ModuleTable(
            "_package", key: "package", columns: [.init("name", .text), .init("version", .text), .init("manifest", .text)],
            indexes: [.init("name", "version", isUnique: true)]),
        ModuleTable(
            "_package_definition", key: "definition",
            columns: [
                .init("package", .integer), .init("type", .text), .init("url", .text), .init("version", .text), .init("id", .text),
                .init("subject", .text), .init("date", .text), .init("text", .text),
            ], indexes: [.init("package")]),
    ]
}

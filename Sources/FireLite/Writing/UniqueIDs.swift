import FireLiteCore
import FireLiteSQLiteBridge

/// The file's promise, kept in `_meta`, that no two of its resources have the same type and id.
struct UniqueIDs {
    let schema: StorageSchema
    let connection: Connection

    init(_ access: StoreConnection) { self.init(schema: access.schema, connection: access.connection) }

    init(schema: StorageSchema, connection: Connection) {
        self.schema = schema
        self.connection = connection
    }

    /// Whether the file makes the promise.
    var isPromised: Bool {
        get throws {
            let statement = try connection.cached("SELECT value FROM _meta WHERE key = 'uniqueIDs'")
            defer { statement.reset() }
            return try statement.step() && statement.int(0) != 0
        }
    }

    /// Makes the promise for the file from now on, in a write.
    ///
    /// - Throws: `FHIRStoreError.duplicateID` if it cannot be promised; `SQLiteError`.
    func promise() throws {
        for (type, ids) in try duplicates() {
            throw FHIRStoreError(
                .duplicateID,
                "\(connection.path) has \(ids) id\(ids == 1 ? "" : "s") of \(type) more than once, so it cannot keep ids unique",
                remedy: .removeDuplicates)
        }
        try connection.execute("INSERT OR REPLACE INTO _meta(key, value) VALUES ('uniqueIDs', 1)")
    }

    /// The number of duplicate ids by type; types without any are omitted.
    func duplicates() throws -> [(type: String, ids: Int64)] {
        try schema.storedTables.filter(\.isResource).compactMap { table in
            let ids =
                try connection.integer(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM \(table.quotedName) WHERE _parent IS NULL AND id IS NOT NULL GROUP BY id HAVING count(*) > 1)
                    """) ?? 0
            return ids > 0 ? (table.name, ids) : nil
        }
    }

    /// Checks that no stored resource except the one with number `root` has the type and id of a resource.
    ///
    /// - Throws: `FHIRStoreError.duplicateID`; `SQLiteError`.
    func verify(_ resource: FHIRResource, besides root: Int64? = nil) throws {
        let table = schema.table(of: resource.layout)
        guard let id = resource.id, table.isInFile else { return }
        let statement = try connection.cached("SELECT 1 FROM \(table.quotedName) WHERE id = ? AND _parent IS NULL AND _k <> ? LIMIT 1")
        statement.bind(1, id)
        statement.bind(2, root.map { RowKey.key($0) } ?? -1)
        defer { statement.reset() }
        guard try statement.step() else { return }
        throw FHIRStoreError(
            .duplicateID,
            "the store keeps ids unique and already has a \(resource.resourceType) with the id of the one with pk \(resource.pk): upsert it instead, or give it "
                + "another id")
    }
}

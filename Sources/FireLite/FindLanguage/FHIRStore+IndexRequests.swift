import FireLiteCore

/// Indexes without Swift types, for `firelite index`.
extension FHIRStore {
    /// Adds an index on paths that are in one row.
    package func createIndex(_ layout: Layout, _ paths: [QueryPath]) throws -> StoreIndex {
        try write { transaction in try transaction.perform { try transaction.createIndex(paths, layout, nil) } }
    }

    /// Removes the index on paths; nothing where there is none.
    package func dropIndex(_ layout: Layout, _ paths: [QueryPath]) throws {
        try write { transaction in try transaction.perform { try transaction.dropIndex(paths, layout) } }
    }

    /// Removes an index by the name that `indexes()` gives; false where there is none.
    package func dropIndex(named name: String) throws -> Bool {
        try write { transaction in try transaction.perform { try transaction.dropIndex(named: name) } }
    }

    /// Adds a full-text index over paths of text, in place of the one the type has.
    package func createFullTextIndex(_ layout: Layout, _ paths: [QueryPath]) throws {
        try write { transaction in try transaction.perform { try transaction.createFullTextIndex(paths, layout) } }
    }

    /// Removes the full-text index of a type; nothing where there is none.
    package func dropFullTextIndex(_ layout: Layout) throws {
        try write { transaction in try transaction.perform { try transaction.dropFullTextIndex(layout) } }
    }
}

import FireLiteCore

/// Indexes without Swift types, for `firelite index`.
extension FHIRStore {
    /// Creates an index on paths that are in one row.
    package func createIndex(_ layout: Layout, _ paths: [QueryPath], progress: StoreProgressHandler? = nil) throws -> StoreIndex {
        try write { transaction in try transaction.perform { try transaction.createIndex(paths, layout, progress) } }
    }

    /// Creates an index on the text at a path that ignores case.
    package func createCaselessIndex(_ layout: Layout, _ path: QueryPath, progress: StoreProgressHandler? = nil) throws -> StoreIndex {
        try write { transaction in try transaction.perform { try transaction.createCaselessIndex(path, layout, progress) } }
    }

    /// Drops the index on paths; returns false if there is none.
    @discardableResult
    package func dropIndex(_ layout: Layout, _ paths: [QueryPath]) throws -> Bool {
        try write { transaction in try transaction.perform { try transaction.dropIndex(paths, layout) } }
    }

    /// Creates a predefined set of indexes, for one type or for all.
    package func createIndexes(_ set: StoreIndexSet, layout: Layout?, progress: StoreProgressHandler? = nil) throws {
        try write { transaction in try transaction.perform { try transaction.createIndexes(set, layout, progress) } }
    }

    /// Drops a predefined set of indexes that was created for the same type, or for all; returns false if there is none.
    @discardableResult
    package func dropIndexes(_ set: StoreIndexSet, layout: Layout?) throws -> Bool {
        try write { transaction in try transaction.perform { try transaction.dropIndexes(set, layout) } }
    }

    /// Drops an index by its name in `indexes()`; returns false if there is none.
    package func dropIndex(named name: String) throws -> Bool {
        try write { transaction in try transaction.perform { try transaction.dropIndex(named: name) } }
    }

    /// Creates a full-text index over paths of text, replacing the type's existing one.
    package func createFullTextIndex(_ layout: Layout, _ paths: [QueryPath], progress: StoreProgressHandler? = nil) throws {
        try write { transaction in try transaction.perform { try transaction.createFullTextIndex(paths, layout, progress) } }
    }

    /// Drops the full-text index of a type; returns false if there is none.
    @discardableResult
    package func dropFullTextIndex(_ layout: Layout) throws -> Bool {
        try write { transaction in try transaction.perform { try transaction.dropFullTextIndex(layout) } }
    }
}

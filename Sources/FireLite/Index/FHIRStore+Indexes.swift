import FireLiteCore

extension FHIRStore {
    private func paths<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) -> [QueryPath] {
        var list: [QueryPath] = []
        for path in repeat each paths(ElementPath(QueryPath())) { list.append(path._path.path) }
        return list
    }

    /// Adds an index on a path, or on several that are in one row, and keeps it current from then on.
    ///
    /// ```swift
    /// try store.createIndex(Observation.self) { $0.code.coding.code }
    /// try store.createIndex(Observation.self) { ($0.status, $0.effectiveDateTime) }
    /// ```
    /// Where no resource has had a value at the path yet, the index comes with the first one. Indexes never ask for unique values.
    /// - Parameter progress: is told from time to time how far it is; false ends it and takes it back.
    /// - Complexity: reads the table once. Writing a value costs its index about what a row of a table costs.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for paths in several rows, `interrupted`.
    @discardableResult
    public func createIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, progress: IndexProgressHandler? = nil, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws -> StoreIndex {
        let list = self.paths(type, paths)
        return try write { transaction in try transaction.perform { try transaction.createIndex(list, type._layout, progress) } }
    }

    /// Removes an index; nothing where there is none. The index on the ids of each type stays.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws {
        let list = self.paths(type, paths)
        try write { transaction in try transaction.perform { try transaction.dropIndex(list, type._layout) } }
    }

    /// Adds a ready-made set of indexes, for one type or for all, now and for data to come.
    ///
    /// - Throws: `FHIRStoreError`: `interrupted`.
    public func createIndexes(_ set: StoreIndexSet, for type: FHIRResource.Type? = nil, progress: IndexProgressHandler? = nil) throws {
        try write { transaction in try transaction.perform { try transaction.createIndexes(set, type?._layout, progress) } }
    }

    /// Removes a ready-made set of indexes that was added for the same type, or for all.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropIndexes(_ set: StoreIndexSet, for type: FHIRResource.Type? = nil) throws {
        try write { transaction in try transaction.perform { try transaction.dropIndexes(set, type?._layout) } }
    }

    /// The indexes that were declared, by name. Beside them every type has one on its ids, and the registry its keys.
    ///
    /// - Throws: `FHIRStoreError`.
    public func indexes() throws -> [StoreIndex] {
        try perform { transaction in
            let declared = DeclaredIndexes(schema: transaction.access.schema, connection: transaction.access.connection)
            let built = try declared.built()
            return try declared.declarations().map { declaration in
                let isBuilt =
                    switch declaration.kind {
                    case .values: built.contains(declaration.name)
                    case .fullText: built.contains("_text_\(declaration.type)")
                    case .set: true
                    }
                return StoreIndex(declaration, isBuilt: isBuilt)
            }
        }
    }

    /// Adds a full-text index over paths of text, in place of the one the type has; `matching` asks it.
    ///
    /// ```swift
    /// try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
    /// ```
    /// Words are found without regard to case and accents. The texts themselves are not stored a second time.
    /// - Throws: `FHIRStoreError`: `invalidArgument` where the SQLite library has no FTS5.
    public func createFullTextIndex<Resource: FHIRResource>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> [any QueryValuePath<String>]
    ) throws {
        let list = paths(ElementPath(QueryPath())).map(\._path.path)
        try write { transaction in try transaction.perform { try transaction.createFullTextIndex(list, type._layout) } }
    }

    /// Removes the full-text index of a type; nothing where there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropFullTextIndex<Resource: FHIRResource>(_ type: Resource.Type) throws {
        try write { transaction in try transaction.perform { try transaction.dropFullTextIndex(type._layout) } }
    }
}

import FireLiteCore

extension FHIRStore {
    func paths<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) -> [QueryPath] {
        var list: [QueryPath] = []
        for path in repeat each paths(ElementPath(QueryPath())) { list.append(path._path.path) }
        return list
    }

    /// Creates an index on a path, or on several that are in one row. SQLite keeps it up to date.
    ///
    /// ```swift
    /// try store.createIndex(Observation.self) { $0.code.coding.code }
    /// try store.createIndex(Observation.self) { ($0.status, $0.effectiveDateTime) }
    /// ```
    /// If no resource has had a value at the path yet, the index is created with the first value. Indexes never require unique values.
    /// - Parameters:
    ///   - type: the resource type.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    ///   - paths: the path, or a tuple of paths in the order of the index's columns.
    /// - Complexity: reads the table once. For each value, writing to the index costs about as much as writing a row.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `invalidArgument` for paths in several rows.
    @discardableResult
    public func createIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, progress: StoreProgressHandler? = nil, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws -> StoreIndex {
        try createIndex(type._layout, self.paths(type, paths), progress: progress)
    }

    /// Drops an index; does nothing if there is none. The index on the ids of each type stays.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws {
        try dropIndex(type._layout, self.paths(type, paths))
    }

    /// Creates a predefined set of indexes, for one type or for all, including columns that are added later.
    ///
    /// - Parameters:
    ///   - set: the kind of columns.
    ///   - type: the resource type. Default: all types.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError`.
    public func createIndexes(_ set: StoreIndexSet, for type: FHIRResource.Type? = nil, progress: StoreProgressHandler? = nil) throws {
        try createIndexes(set, layout: type?._layout, progress: progress)
    }

    /// Drops a predefined set of indexes that was created for the same type, or for all.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropIndexes(_ set: StoreIndexSet, for type: FHIRResource.Type? = nil) throws {
        try dropIndexes(set, layout: type?._layout)
    }

    /// The declared indexes, by name. Not listed are the index on each type's ids and those of the registry.
    ///
    /// - Throws: `FHIRStoreError`.
    public func indexes() throws -> [StoreIndex] {
        try perform { transaction in
            let declared = DeclaredIndexes(schema: transaction.access.schema, connection: transaction.access.connection)
            let built = try declared.built()
            return try declared.declarations().map { declaration in
                let isBuilt =
                    switch declaration.kind {
                    case .values, .caseless: built.contains(declaration.name)
                    case .fullText: built.contains("_text_\(declaration.type)")
                    case .set: true
                    }
                return StoreIndex(declaration, isBuilt: isBuilt)
            }
        }
    }

    /// Creates a full-text index over paths of text, replacing the type's existing one; `matching` searches it.
    ///
    /// ```swift
    /// try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
    /// ```
    /// Searches ignore case and accents. The texts themselves are not stored a second time. If the type has an index over the same paths, nothing
    /// is done.
    /// - Parameters:
    ///   - type: the resource type.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    ///   - paths: the paths of the texts.
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the SQLite library has no FTS5.
    public func createFullTextIndex<Resource: FHIRResource>(
        _ type: Resource.Type, progress: StoreProgressHandler? = nil,
        _ paths: (ElementPath<Resource>) -> [any QueryValuePath<String>]
    ) throws {
        try createFullTextIndex(type._layout, paths(ElementPath(QueryPath())).map(\._path.path), progress: progress)
    }

    /// Drops the full-text index of a type; does nothing if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func dropFullTextIndex<Resource: FHIRResource>(_ type: Resource.Type) throws {
        try dropFullTextIndex(type._layout)
    }
}

import FireLiteCore

extension Records {
    /// The records of a type without their content, in the order of storage, followed by deleted ones if requested.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - annotations: only records with all of these.
    ///   - statuses: only records with one of these. Default: active and pending.
    ///   - limit: the maximum number; nil for all.
    ///   - opensAnnotations: whether sealed annotations are opened; false omits them, and needs no keyring. Default: true.
    /// - Throws: ``RecordError``: `emptyAnnotation`, and `missingKey` for sealed annotations; `FHIRStoreError`: `invalidArgument` for a
    ///   name that is not a resource type of the release.
    public func summaries(
        _ typeName: String, annotations: [String] = [], statuses: Set<RecordStatus> = [.active, .pending], limit: Int? = nil,
        opensAnnotations: Bool = true
    ) throws -> [RecordSummary] {
        try store.read { tx in
            guard let layout = store.release.resourceLayout(named: typeName) else {
                throw RecordError(.invalidArgument, "FHIR \(store.release.name) has no resource type '\(typeName)'")
            }
            var filter = RecordFilter()
            filter.all = annotations
            let pending = try keeper.pending(tx)
            var found: [RecordSummary] = []
            let isFull = { limit.map { found.count >= $0 } ?? false }
            if statuses != [.deleted] {
                var request = QueryRequest(layout)
                if let condition = try condition(filter, typeName) { request.add(condition) }
                try tx.forEachID(request) { id in
                    guard !isFull() else { return false }
                    guard statuses.contains(pending.contains(RecordKey(typeName, id: id)) ? .pending : .active) else { return true }
                    if let row = try row(typeName, id, tx) { found.append(try summary(row, pending: pending, tx, opensAnnotations)) }
                    return true
                }
            }
            if statuses.contains(.deleted) {
                for row in try tombstones(filter, typeName, tx) where !isFull() { found.append(try summary(row, pending: [], tx)) }
            }
            return found
        }
    }

    /// A condition of queries: the record of the resource has all of these annotations, in the clear.
    ///
    /// - Throws: `RecordError.emptyAnnotation`.
    package static func isAnnotated(_ annotations: [String], _ typeName: String) throws -> Predicate {
        var filter = RecordFilter()
        filter.all = annotations
        return try condition(filter, typeName) { _ in nil } ?? .constant(true)
    }

    /// The condition of a filter; nil if every record meets it.
    func condition(_ filter: RecordFilter, _ typeName: String) throws -> Predicate? {
        try Self.condition(filter, typeName, code: keeper.encryption.code)
    }

    private static func condition(_ filter: RecordFilter, _ typeName: String, code: (String) -> String?) throws -> Predicate? {
        guard !filter.isEmpty else { return nil }
        let tables = RecordTables.records
        let sql = try filter.selection(tables, typeName, code: code)
        return .selected(ModuleSelection(tables.module, sql.text, sql.arguments))
    }

    /// The rows of deleted records, in the order in which they were deleted.
    func tombstones(_ filter: RecordFilter, _ typeName: String, _ tx: ReadTransaction) throws -> [RecordRow] {
        let sql = try filter.sql(tables, code: keeper.encryption.code)
        return try tx.rows(
            of: tables.module,
            """
            SELECT root, \(RecordRow.columns) FROM _record WHERE type = ? AND deleted IS NOT NULL\(sql.text) ORDER BY deleted, root
            """, [.text(typeName)] + sql.arguments
        ).map { RecordRow($0) }
    }
}

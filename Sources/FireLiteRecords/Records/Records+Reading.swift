import FireLiteCore

extension Records {
    /// The record with this type and id; nil if there is none, or if it was deleted.
    ///
    /// - Throws: ``RecordError``: `missingKey` and `cannotOpen` for a sealed one; `FHIRStoreError`.
    public func fetch<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Record<Resource>? {
        try store.read { tx in
            guard let resource = try tx.resource(type, id: id) else { return nil }
            return try record(resource, pending: keeper.pending(tx), tx)
        }
    }

    /// The records with these ids, in their order.
    ///
    /// - Returns: the records, and the ids that failed: unknown ones, and those of sealed records that cannot be opened.
    /// - Throws: `FHIRStoreError`.
    public func fetch<Resource: FHIRResource>(_ type: Resource.Type, ids: [String]) throws -> BatchResult<Record<Resource>> {
        try store.read { tx in
            let pending = try keeper.pending(tx)
            return try .collecting(ids, id: { $0 }) { id in
                guard let resource = try tx.resource(type, id: id) else { throw RecordError.notFound(type._layout.name) }
                return try record(resource, pending: pending, tx)
            }
        }
    }

    /// A query for records of a type.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> RecordQuery<Resource> { RecordQuery(self) }

    /// The number of stored records.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of a resource type; nil for all types.
    ///   - annotations: only records with all of these.
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func count(_ typeName: String? = nil, annotations: [String] = []) throws -> Int {
        try store.read { tx in
            var filter = RecordFilter()
            filter.all = annotations
            if filter.isEmpty {
                return try tx.counts().filter { typeName == nil || $0.typeName == typeName }.reduce(0) { $0 + $1.count }
            }
            let sql = try filter.sql(tables, code: keeper.encryption.code)
            let types: [SQLValue] = typeName.map { [.text($0)] } ?? []
            let text = """
                SELECT count(*) FROM _record WHERE deleted IS NULL AND root IN (SELECT root FROM _resource)
                \(typeName == nil ? "" : " AND type = ?")\(sql.text)
                """
            return Int(try tx.rows(of: tables.module, text, types + sql.arguments).first?[0].integer ?? 0)
        }
    }

    /// So many records are looked up together.
    private static let batch = 256

    /// What tables have about stored resources, in their order.
    func parts(of resources: [some FHIRResource], _ tx: ReadTransaction) throws -> [RecordTables.Parts?] {
        var parts: [RecordTables.Parts?] = []
        for start in stride(from: 0, to: resources.count, by: Self.batch) {
            let roots = resources[start..<min(start + Self.batch, resources.count)].map { tx.key(of: $0).map(RowKey.root) }
            let found = try tables.parts(roots.compactMap { $0 }, tx)
            parts += roots.map { $0.flatMap { found[$0] } }
        }
        return parts
    }

    /// The record of a stored resource, opened if it is sealed.
    ///
    /// - Parameter parts: what tables have about it; nil for nothing known yet.
    func record<Resource: FHIRResource>(
        _ resource: Resource, _ parts: RecordTables.Parts? = nil, pending: Set<RecordKey>, _ tx: ReadTransaction
    ) throws -> Record<Resource> {
        let type = resource.resourceType
        guard let id = resource.id, let row = try parts?.row ?? row(type, id, tx) else {
            return Record(
                resource: resource,
                metadata: RecordMetadata(created: nil, updated: nil, status: .active, deleted: nil), annotations: [])
        }
        let metadata = row.metadata(isPending: pending.contains(RecordKey(type, id: id)))
        if let parts, !parts.isSealed { return Record(resource: resource, metadata: metadata, annotations: parts.annotations) }
        guard let sealed = try vault.open(row, tx) else {
            return Record(resource: resource, metadata: metadata, annotations: try tables.annotations(of: row.number, tx))
        }
        return Record(
            resource: try FHIRJSON.decode(Resource.self, from: sealed.content), metadata: metadata, annotations: sealed.annotations)
    }
}

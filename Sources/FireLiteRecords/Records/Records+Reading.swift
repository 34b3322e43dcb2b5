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
            var stored: [Resource] = []
            var places: [Int?] = []
            for id in ids {
                let resource = try tx.resource(type, id: id)
                places.append(resource == nil ? nil : stored.count)
                if let resource { stored.append(resource) }
            }
            let parts = try parts(of: stored, tx)
            return try .collecting(Array(zip(ids, places)), id: { $0.0 }) { _, place in
                guard let place else { throw RecordError.notFound(type._layout.name) }
                return try record(stored[place], parts[place], pending: pending, tx)
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
            // `+` lets SQLite begin with the annotations: there are fewer of them than records of a type.
            let text = """
                SELECT count(*) FROM _record WHERE deleted IS NULL AND +root IN (SELECT root FROM _resource)
                \(typeName == nil ? "" : " AND +type = ?")\(sql.text)
                """
            return Int(try tx.rows(of: tables.module, text, types + sql.arguments).first?[0].integer ?? 0)
        }
    }

    /// What tables have about stored resources, in their order.
    func parts<Resource: FHIRResource>(of resources: [Resource], _ tx: ReadTransaction) throws -> [RecordTables.Parts?] {
        var roots: [Int64] = []
        roots.reserveCapacity(resources.count)
        // No record has the number 0.
        for resource in resources { roots.append(tx.key(of: resource).map(RowKey.root) ?? 0) }
        return try tables.parts(roots, tx)
    }

    /// The record of a stored resource, opened if it is sealed.
    ///
    /// - Parameter parts: what tables have about it; nil for nothing known yet.
    func record<Resource: FHIRResource>(
        _ resource: Resource, _ parts: RecordTables.Parts? = nil, pending: Set<RecordKey>, _ tx: ReadTransaction
    ) throws -> Record<Resource> {
        if let parts, !parts.isSealed {
            let metadata = parts.metadata(isPending: isPending(resource, pending))
            return Record(resource: resource, metadata: metadata, annotations: parts.annotations)
        }
        guard let id = resource.id, let row = try row(resource.resourceType, id, tx) else {
            return Record(
                resource: resource,
                metadata: RecordMetadata(created: nil, updated: nil, status: .active, deleted: nil), annotations: [])
        }
        let metadata = row.metadata(isPending: isPending(resource, pending))
        guard let sealed = try vault.open(row, tx) else {
            return Record(resource: resource, metadata: metadata, annotations: try tables.annotations(of: row.number, tx))
        }
        return Record(
            resource: try FHIRJSON.decode(Resource.self, from: sealed.content), metadata: metadata, annotations: sealed.annotations)
    }

    private func isPending(_ resource: FHIRResource, _ pending: Set<RecordKey>) -> Bool {
        guard !pending.isEmpty, let id = resource.id else { return false }
        return pending.contains(RecordKey(resource.resourceType, id: id))
    }
}

import FireLiteCore
import Foundation

extension Records {
    // MARK: - Creating

    /// Stores a resource as a new record. A resource without an id gets a random one.
    ///
    /// - Parameters:
    ///   - resource: the resource, which becomes the store's object unless its type is sealed.
    ///   - annotations: its annotations.
    /// - Returns: the record.
    /// - Throws: ``RecordError``: `alreadyExists`, `emptyAnnotation`; `FHIRStoreError`.
    @discardableResult
    public func create<Resource: FHIRResource>(_ resource: Resource, annotations: [String] = []) throws -> Record<Resource> {
        let texts = try RecordAnnotation.normalized(annotations)
        return try store.joiningWrite { try create(resource, texts, $0) }
    }

    /// Stores resources as new records with the same annotations, in one write.
    ///
    /// - Returns: the records, and the resources that failed; the others are stored.
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError` if nothing could be stored.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resources: [Resource], annotations: [String] = []
    ) throws -> BatchResult<Record<Resource>> {
        let texts = try RecordAnnotation.normalized(annotations)
        return try store.joiningWrite { tx in
            var result = BatchResult<Record<Resource>>()
            for start in stride(from: 0, to: resources.count, by: Self.together) {
                let part = resources[start..<min(start + Self.together, resources.count)]
                if let records = try createTogether(part, texts, tx) {
                    result.succeeded += records
                } else {
                    try result.collect(part, id: \.id) { try create($0, texts, tx) }
                }
            }
            return result
        }
    }

    private func create<Resource: FHIRResource>(
        _ resource: Resource, _ texts: [String], _ tx: WriteTransaction
    ) throws -> Record<Resource> {
        let type = resource.resourceType
        let id = resource.id ?? UUID().uuidString.lowercased()
        guard !resource.isManaged, try tx.registered(type, id: id) == nil else {
            throw RecordError(.alreadyExists, "a record of the type \(type) has this id already: update it")
        }
        let given = resource.id
        resource.id = id
        do {
            let row: RecordRow
            if let elements = keeper.encryption.elements(of: type) {
                row = try keeper.create(resource, annotations: texts, elements: elements, tx: tx)
            } else {
                row = try createClear(resource, texts, tx)
            }
            return Record(resource: resource, metadata: row.metadata(isPending: false), annotations: texts)
        } catch {
            if !resource.isManaged { resource.id = given }
            throw error
        }
    }

    private func createClear(_ resource: FHIRResource, _ annotations: [String], _ tx: WriteTransaction) throws -> RecordRow {
        let type = resource.resourceType
        try tx.add(resource)
        guard let id = resource.id, let found = try tx.registered(type, id: id) else { throw RecordError.notFound(type) }
        var row = try keeper.row(continuing: type, id, as: found.root, keeper.now, tx)
        row.edition = try tx.incremented(row.edition, in: tables.name)
        try tables.setAnnotations(annotations, of: row.number, isKeyed: false, isNew: row.version == 1, tx)
        try keeper.store(row, revision: found.revision, tx)
        return row
    }

    // MARK: - Updating

    /// Stores the content of a record again.
    ///
    /// - Parameters:
    ///   - resource: the resource, with its id: the stored object, or another one with its content.
    ///   - annotations: the new annotations; nil keeps them.
    /// - Returns: the record.
    /// - Throws: ``RecordError``: `missingID`, `notFound`, `emptyAnnotation`; `FHIRStoreError`.
    @discardableResult
    public func update<Resource: FHIRResource>(_ resource: Resource, annotations: [String]? = nil) throws -> Record<Resource> {
        let texts = try annotations.map { try RecordAnnotation.normalized($0) }
        return try store.joiningWrite { try update(resource, texts, $0) }
    }

    /// Stores the content of records again, in one write.
    ///
    /// - Parameters:
    ///   - resources: the resources, each with its id.
    ///   - annotations: the new annotations of each; nil keeps them.
    /// - Returns: the records, and the resources that failed; the others are stored.
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError` if nothing could be stored.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resources: [Resource], annotations: [String]? = nil
    ) throws -> BatchResult<Record<Resource>> {
        let texts = try annotations.map { try RecordAnnotation.normalized($0) }
        return try store.joiningWrite { tx in
            try .collecting(resources, id: \.id) { try update($0, texts, tx) }
        }
    }

    private func update<Resource: FHIRResource>(
        _ resource: Resource, _ new: [String]?, _ tx: WriteTransaction
    ) throws -> Record<Resource> {
        let type = resource.resourceType
        guard let id = resource.id else { throw RecordError(.missingID, "a \(type) without an id cannot be updated: create it") }
        // The store's object may already be changed, so the row says which content is recorded.
        guard let before = try tx.registered(type, id: id), var row = try row(type, id, tx) else { throw RecordError.notFound(type) }
        let old = try vault.annotations(of: row, tx)
        let texts = new ?? old
        let elements = keeper.encryption.elements(of: type)
        let wasSealed = try tables.wrappedKey(of: row.number, tx) != nil
        guard elements != nil || wasSealed else {
            return try updateClear(resource, revision: before.revision, known: row, old: old, texts: texts, tx: tx)
        }
        guard let elements else {
            throw RecordError(.sealed, "the \(type) is sealed, and records.encryption does not seal its type: set it as it was")
        }
        if resource.isManaged {
            throw RecordError(.sealed, "the \(type) is the store's object, which has only the elements in the clear: fetch it from records")
        }
        try keeper.seal(
            resource, content: FHIRJSON.data(tx.withPayloads(resource)), annotations: texts, elements: elements, row: &row,
            revision: before.revision, tx: tx)
        return Record(resource: resource, metadata: try metadata(row, tx), annotations: texts)
    }

    private func updateClear<Resource: FHIRResource>(
        _ resource: Resource, revision: Int64, known: RecordRow, old: [String], texts: [String], tx: WriteTransaction
    ) throws -> Record<Resource> {
        var row = known
        let stored = try tx.upsert(resource)
        let now = try tx.registered(row.type, id: row.id)?.revision ?? revision
        let noted = try tx.rows(of: tables.module, "SELECT revision FROM _record WHERE root = ?", [.integer(row.number)]).first?[0].integer
        let isChanged = noted != now
        if isChanged { row.version = try tx.incremented(row.version, in: tables.name) }
        if isChanged || texts != old {
            row.updated = keeper.now
            if texts != old { try vault.setAnnotations(texts, of: &row, tx) }
            try keeper.store(row, revision: now, tx)
        }
        return Record(resource: stored, metadata: try metadata(row, tx), annotations: texts)
    }

    func metadata(_ row: RecordRow, _ tx: ReadTransaction) throws -> RecordMetadata {
        row.metadata(isPending: try keeper.pending(tx).contains(RecordKey(row.type, id: row.id)))
    }

    // MARK: - Deleting

    /// Deletes a record. Its metadata and annotations stay as a tombstone; the key of a sealed record is destroyed.
    ///
    /// - Throws: ``RecordError/Code/notFound``; `FHIRStoreError`.
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws {
        try delete(type._layout.name, id: id)
    }

    /// Deletes a record by the name of its type.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    /// - Throws: ``RecordError/Code/notFound``; `FHIRStoreError`.
    public func delete(_ typeName: String, id: String) throws {
        try store.joiningWrite { tx in
            guard try tx.delete(typeName: typeName, id: id) else { throw RecordError.notFound(typeName) }
        }
    }

    /// Deletes records, in one write.
    ///
    /// - Returns: the ids of the deleted records, and the unknown ones.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, ids: [String]) throws -> BatchResult<String> {
        try store.joiningWrite { tx in
            try .collecting(ids, id: { $0 }) { id in
                guard try tx.delete(typeName: type._layout.name, id: id) else { throw RecordError.notFound(type._layout.name) }
                return id
            }
        }
    }
}

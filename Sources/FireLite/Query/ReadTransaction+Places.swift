import FireLiteCore
import FireLiteSQLiteBridge

// Requests without Swift types, for modules above the store.

extension ReadTransaction {
    /// The places of a request's results, in their order.
    package func places(_ request: QueryRequest) throws -> [QueryCursor] {
        try perform(observesRestriction: true) {
            var places: [QueryCursor] = []
            try forEachResult(request, withCursor: true) { row in
                places.append(QueryCursor(values: (1..<row.columnCount).map { row.value($0) }, key: row.int(0)))
                return true
            }
            return places
        }
    }

    /// The resources with these keys, in their order.
    package func resources(keys: [Int64]) throws -> [FHIRResource] {
        try perform(observesRestriction: true) {
            let resources = try loader.resources(roots: keys.map { RowKey.root($0) }[...])
            for resource in resources { objects?.hold(resource) }
            return resources
        }
    }

    /// The resources whose rows have these keys, in their order: stored ones, and those that stored ones contain. The containers are
    /// to be kept as long as what they contain.
    package func resources(rows: [Int64]) throws -> (resources: [FHIRResource], containers: [FHIRResource]) {
        guard rows.contains(where: { $0 & RowKey.lastNode != 0 }) else { return (try resources(keys: rows), []) }
        var owners: [Int64: FHIRResource] = [:]
        let keys = Set(rows.map { $0 & ~RowKey.lastNode }).sorted()
        for resource in try resources(keys: keys) { if let key = key(of: resource) { owners[key] = resource } }
        let resources = rows.compactMap { row -> FHIRResource? in
            guard let owner = owners[row & ~RowKey.lastNode] else { return nil }
            let node = row & RowKey.lastNode
            return node == 0 ? owner : Self.contained(in: owner, node)
        }
        return (resources, Array(owners.values))
    }

    private static func contained(in owner: FHIRResource, _ node: Int64) -> FHIRResource? {
        var found: FHIRResource?
        for slot in owner.slotRun { slot.value.forEachChild { if Int64($0.rowNode) == node { found = $0 as? FHIRResource ?? found } } }
        return found
    }

    /// The key of a stored resource; nil for one that is not stored.
    package func key(of resource: FHIRResource) -> Int64? { (resource.objectExtras as? StoreTie).map { RowKey.key($0.root) } }

    /// Whether the file may have resources of a type: also if their table is lost, so that reading them says so.
    package func hasTable(of layout: Layout) -> Bool {
        let table = table(of: layout)
        if table.isInFile { return true }
        do {
            try access.schema.requireWhole(table, access.connection)
            return false
        } catch {
            return true
        }
    }

    /// Whether the type has a full-text index.
    package func hasFullTextIndex(of layout: Layout) throws -> Bool {
        try perform(observesRestriction: true) {
            try access.queries.indexes.refresh(access.connection, version: access.schema.version)
            return access.queries.indexes.fullTextTypes.contains(layout.name)
        }
    }
}

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
            let resources = try loader.resources(roots: keys.map { $0 >> 24 }[...])
            for resource in resources { objects?.hold(resource) }
            return resources
        }
    }

    /// The key of a stored resource; nil for one that is not stored.
    package func key(of resource: FHIRResource) -> Int64? { (resource.objectExtras as? StoreTie).map { $0.root << 24 } }

    /// Whether the file may have resources of a type.
    package func hasTable(of layout: Layout) -> Bool { table(of: layout).isInFile }

    /// Whether the type has a full-text index.
    package func hasFullTextIndex(of layout: Layout) throws -> Bool {
        try perform(observesRestriction: true) {
            try access.queries.indexes.refresh(access.connection, version: access.schema.version)
            return access.queries.indexes.fullTextTypes.contains(layout.name)
        }
    }
}

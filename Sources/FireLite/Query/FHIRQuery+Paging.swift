import FireLiteCore

extension FHIRQuery {
    /// Some results and the place after them.
    public struct Page {
        /// The results, in the order of the query.
        public let resources: [Resource]
        /// The place after the last of them: `query.after(page.next)`. Nil if there are no more results.
        public let next: QueryCursor?
    }

    /// The first results, and a cursor to continue from.
    ///
    /// - Complexity: with an indexed sort key, every page costs as much as the first.
    /// - Precondition: `size` is at least 1.
    /// - Throws: `FHIRStoreError`.
    public func page(of size: Int) throws -> Page {
        misuse(unless: size > 0, "the size of a page is 1 or more")
        var request = limit(size + 1).request
        if let limit = self.request.limit { request.limit = Swift.min(size + 1, limit) }
        return try perform { transaction, note in
            var places: [QueryCursor] = []
            try transaction.forEachResult(request, withCursor: true) { row in
                places.append(QueryCursor(values: (1..<row.columnCount).map { row.value($0) }, key: row.int(0)))
                return true
            }
            let resources = try transaction.loader.resources(roots: places.prefix(size).map { RowKey.root($0.key) }).compactMap {
                $0 as? Resource
            }
            if let note { for resource in resources { note(resource) } }
            guard places.count > size else { return Page(resources: resources, next: nil) }
            let next = places[size - 1]
            return Page(resources: resources, next: try request.restriction?.sealed(next, in: store) ?? next)
        }
    }

    /// All results page by page. Each page is fetched on demand, from the store as it is then; the order is stable while others write.
    public func pages(of size: Int) -> QueryPages<Resource> { QueryPages(query: self, size: size) }
}

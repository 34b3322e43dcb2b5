import FireLiteCore

extension FHIRQuery {
    /// Some results and where they end.
    public struct Page {
        public let resources: [Resource]
        /// The place after the last of them: `query.after(page.next)`. Nil where no more results were there.
        public let next: QueryCursor?
    }

    /// The first results, and a cursor to go on from.
    ///
    /// - Complexity: with a sort key that an index serves, a page far down costs what the first one costs.
    /// - Precondition: `size` is 1 or more.
    /// - Throws: `FHIRStoreError`.
    public func page(of size: Int) throws -> Page {
        misuse(unless: size > 0, "a page has one resource or more")
        var request = limit(size + 1).request
        if let limit = self.request.limit { request.limit = Swift.min(size + 1, limit) }
        return try store.perform { transaction in
            var places: [QueryCursor] = []
            try transaction.forEachResult(request, withCursor: true) { row in
                places.append(QueryCursor(values: (1..<row.columnCount).map { row.value($0) }, key: row.int(0)))
                return true
            }
            let resources = try transaction.loader.resources(roots: places.prefix(size).map { $0.key >> 24 }).compactMap { $0 as? Resource }
            return Page(resources: resources, next: places.count > size ? places[size - 1] : nil)
        }
    }

    /// All results page by page. Each page is fetched when asked for, from the store as it is then; the order holds while others write.
    public func pages(of size: Int) -> QueryPages<Resource> { QueryPages(query: self, size: size) }
}

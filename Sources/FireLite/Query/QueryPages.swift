import FireLiteCore

/// The pages of a query's results, one after the other.
public struct QueryPages<Resource: FHIRResource>: Sendable {
    private var query: FHIRQuery<Resource>
    private let size: Int
    var store: FHIRStore { query.store }
    private var left: Int?
    private var isEnded = false

    init(query: FHIRQuery<Resource>, size: Int) {
        self.query = query
        self.size = size
        left = query.request.limit
    }

    /// The next page; nil at the end.
    ///
    /// - Throws: `FHIRStoreError`.
    public mutating func next() throws -> [Resource]? {
        if isEnded || left == 0 { return nil }
        let page = try query.page(of: Swift.min(size, left ?? size))
        if let known = left { left = known - page.resources.count }
        query = query.after(page.next)
        isEnded = page.next == nil
        return page.resources.isEmpty ? nil : page.resources
    }
}

import FireLiteCore

/// A query independent of Swift types, which typed queries and `firelite find` run.
package struct QueryRequest: Sendable {
    package let layout: Layout
    /// The resources whose contained resources are the results; nil for resources that are stored on their own.
    package var container: Container?
    package var predicate = Predicate.constant(true)
    package var sort: [SortKey] = []
    package var limit: Int?
    package var offset = 0
    package var cursor: QueryCursor?
    /// The sections that the results are in.
    var sections: [SectionTest] = []
    /// What hides resources from the query; nil if nothing does.
    package var restriction: (any QueryRestriction)?

    package init(_ layout: Layout) { self.layout = layout }

    /// The resources of a type that meet a predicate.
    package struct Container: Sendable {
        package let layout: Layout
        var predicate = Predicate.constant(true)

        package init(_ layout: Layout) { self.layout = layout }
    }

    /// Whether every resource of the type is a result, in the order of storage, as in a scan.
    package var isWholeType: Bool {
        guard case .constant(true) = predicate, restriction == nil, container == nil else { return false }
        return sort.isEmpty && limit == nil && offset == 0 && cursor == nil && sections.isEmpty
    }

    /// Whether the results are a part of those that meet the conditions.
    var isPart: Bool { limit != nil || offset > 0 || cursor != nil }

    /// Asks for all resources with some keys, whatever was asked before.
    mutating func ofAll(_ keys: [Int64]) {
        predicate = .keys(keys)
        (sort, limit, offset, cursor, sections) = ([], nil, 0, nil, [])
    }

    package mutating func add(_ condition: Predicate) {
        if case .constant(true) = predicate { predicate = condition } else { predicate = predicate.conjoined(with: condition) }
    }
}

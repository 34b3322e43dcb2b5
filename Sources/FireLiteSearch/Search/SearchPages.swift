import FireLite

/// Pages of results of one type or of several.
///
/// Results of several types are merged: by the values that they are sorted by, then by the name of their type, then in the order in which they were
/// stored. Contained resources count as of the type of those that contain them.
struct SearchPages {
    let transaction: ReadTransaction
    let requests: [SearchRun.TypeRequest]

    struct Place {
        let type: String
        let place: QueryCursor
    }

    /// The places of a page, and whether there are more results.
    func page(of size: Int?, after cursor: SearchCursor?) throws -> (places: [Place], hasMore: Bool) {
        var found: [Place] = []
        for (index, request) in requests.enumerated() {
            var query = request.query
            // One more tells whether there are more.
            query.limit = size.map { min($0, Int.max - 1) + 1 }
            if let cursor {
                guard cursor.place.values.count == query.sort.count else {
                    throw SearchError(.invalid, "the cursor belongs to another search", in: SearchCursor.parameter)
                }
                query.cursor = place(cursor, for: request)
                // Without values to sort by, all results of an earlier type come before the cursor.
                if query.sort.isEmpty, request.layout.name < cursor.type { continue }
            }
            found += try transaction.places(query).map { Place(type: request.layout.name, place: $0) }
            // In the order of types, later ones are not needed for this page.
            let isLast = index + 1 == requests.count || requests[index + 1].layout.name != request.layout.name
            if let size, query.sort.isEmpty, found.count > size, isLast { break }
        }
        let keys = requests.first?.query.sort ?? []
        // Those of one type are in order, unless they are stored on their own and contained.
        let hasSeveral = Set(requests.map(\.layout.name)).count < requests.count
        if requests.count > 1, !keys.isEmpty || hasSeveral { found.sort { isBefore($0, $1, keys) } }
        guard let size else { return (found, false) }
        return (Array(found.prefix(size)), found.count > size)
    }

    /// A cursor for one type: results with equal values come before it or after it by their type.
    private func place(_ cursor: SearchCursor, for request: SearchRun.TypeRequest) -> QueryCursor {
        let name = request.layout.name
        if name == cursor.type { return cursor.place }
        let isDescending = request.query.sort.last?.isDescending ?? false
        let isAfter = name > cursor.type
        return QueryCursor(values: cursor.place.values, key: isAfter == isDescending ? .max : -1)
    }

    private func isBefore(_ left: Place, _ right: Place, _ keys: [SortKey]) -> Bool {
        for (index, key) in keys.enumerated() {
            let (first, second) = (left.place.values[index], right.place.values[index])
            if first == second { continue }
            if first.isNull || second.isNull { return second.isNull }
            return Self.isLess(first, second) != key.isDescending
        }
        if left.type != right.type { return left.type < right.type }
        return (left.place.key < right.place.key) != (keys.last?.isDescending ?? false)
    }

    /// SQLite's order of values: numbers before texts, texts by their bytes.
    private static func isLess(_ left: SQLValue, _ right: SQLValue) -> Bool {
        if let first = left.double, let second = right.double { return first < second }
        if let first = left.text, let second = right.text { return first.utf8.lexicographicallyPrecedes(second.utf8) }
        return left.double != nil
    }
}

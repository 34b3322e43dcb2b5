import FireLiteCore
import FireLiteSQLiteBridge

/// A section of a query's results, and how many are in it.
package struct SectionSize: Sendable, Hashable {
    package let key: SectionKey
    package fileprivate(set) var count: Int
}

extension FHIRQuery {
    /// The sections of the results with their sizes, in the order in which the results come to them. SQLite groups the rows; no resource is read.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the path is that of a complex element.
    package func sections(_ section: SectionPath) throws -> [SectionSize] {
        try perform { transaction, _ in
            if !request.isPart, let sizes = try transaction.grouped(request, section) { return sizes }
            var tally = SectionTally()
            try transaction.forEachSection(request, section) { tally.add($1, 1) }
            return tally.sizes
        }
    }

    /// The pks of the results with their sections, in their order. No resource is read.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the path is that of a complex element.
    package func pks(in section: SectionPath) throws -> [(pk: String, section: SectionKey)] {
        try perform { transaction, _ in
            var found: [(root: Int64, section: SectionKey)] = []
            try transaction.forEachSection(request, section) { found.append(($0, $1)) }
            return try found.compactMap { root, section in
                try Cancellation.check()
                return try transaction.access.registry.registration(root: root).map {
                    (pk: $0.pk ?? store.identity.pk(ofRoot: root), section: section)
                }
            }
        }
    }

    /// The results in a section, in the query's order.
    package func section(_ test: SectionTest) -> Self {
        var query = self
        query.request.sections.append(test)
        return query
    }
}

extension ReadTransaction {
    /// The sections with their sizes, grouped by SQL; nil if the first sort values do not tell which section comes first.
    fileprivate func grouped(_ request: QueryRequest, _ section: SectionPath) throws -> [SectionSize]? {
        guard let statement = try statement(request) else { return [] }
        let (columns, type) = try statement.sectionColumns(section)
        var tally = SectionTally()
        var last: (value: SQLValue, isAbsent: Bool)?
        var isOrdered = true
        try forEachRow(statement.sections(section)) { row in
            let place = (value: row.value(columns.count + 1), isAbsent: row.int(columns.count + 2) != 0)
            if let last, last.isAbsent == place.isAbsent, place.isAbsent || last.value == place.value { isOrdered = false }
            last = place
            tally.add(section.key(row, type, at: 0), Int(row.int(columns.count)))
            return isOrdered
        }
        return isOrdered ? tally.sizes : nil
    }

    /// Calls `body` with the number and the section of each result, in order.
    fileprivate func forEachSection(_ request: QueryRequest, _ section: SectionPath, _ body: (Int64, SectionKey) -> Void) throws {
        var type = PrimitiveType.string
        try forEachResult(
            request,
            columns: { statement in
                let (columns, found) = try statement.sectionColumns(section)
                type = found
                return columns
            },
            { row in
                body(RowKey.root(row.int(0)), section.key(row, type, at: 1))
                return true
            })
    }
}

/// Counts the results of sections.
private struct SectionTally {
    private(set) var sizes: [SectionSize] = []
    private var places: [SectionKey: Int] = [:]

    mutating func add(_ key: SectionKey, _ count: Int) {
        if let place = places[key] {
            sizes[place].count += count
        } else {
            places[key] = sizes.count
            sizes.append(SectionSize(key: key, count: count))
        }
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRQuery {
    // For dates and times, aggregates return the moment in UTC; for decimals, the shortest literal.

    private func each<Path: QueryValuePath>(
        _ path: (ElementPath<Resource>) -> Path, isOrdered: Bool = false,
        _ select: (_ column: SQLFragment, _ count: SQLFragment) -> SQLFragment,
        tail: (SQLFragment) -> SQLFragment, _ body: (Path.Value, Statement) throws -> Bool
    ) throws {
        let path = path(ElementPath(QueryPath()))._path.path
        try perform { transaction, _ in
            var request = request
            if request.isPart {
                // The results are those of a page, so they are found first.
                var keys: [Int64] = []
                try transaction.forEachResult(request) { row in
                    keys.append(row.int(0))
                    return true
                }
                request.ofAll(keys)
            }
            guard let (sql, column) = try transaction.statement(request)?.values(path, isOrdered: isOrdered, select, tail: tail) else {
                return
            }
            // A date and time without its offset is in UTC.
            let isMoment = column.type == .instant || column.type == .dateTime
            try transaction.forEachRow(sql) { row in
                let stored = row.value(0)
                let aside: SQLValue = isMoment && stored.text?.contains("T") ?? false ? .integer(0) : .null
                guard let literal = ValueCodec.literal(stored, aside: aside, column.type),
                    let value = ProjectedValue.value(literal, as: Path.Value.self)
                else { return true }
                return try body(value, row)
            }
        }
    }

    /// The distinct values at a path, in SQL's order.
    ///
    /// - Throws: `FHIRStoreError`.
    public func distinct<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> [Path.Value] {
        var values: [Path.Value] = []
        try each(path, { column, _ in "DISTINCT \(column)" }, tail: { " ORDER BY \($0)" }) { value, _ in
            values.append(value)
            return true
        }
        return values
    }

    /// The least value at a path; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func min<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> Path.Value? {
        var result: Path.Value?
        try each(path, { column, _ in "min(\(column))" }, tail: { _ in "" }) { value, _ in
            result = value
            return false
        }
        return result
    }

    /// The greatest value at a path; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func max<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> Path.Value? {
        var result: Path.Value?
        try each(path, { column, _ in "max(\(column))" }, tail: { _ in "" }) { value, _ in
            result = value
            return false
        }
        return result
    }

    /// The number of resources with each value at a path, the most frequent first.
    ///
    /// - Throws: `FHIRStoreError`.
    public func counts<Path: QueryValuePath>(by path: (ElementPath<Resource>) -> Path) throws -> [ValueCount<Path.Value>] {
        try counts(by: path, isOrdered: true) ?? counts(by: path, isOrdered: false) ?? []
    }

    /// - Returns: nil if the rows did not come in order.
    private func counts<Path: QueryValuePath>(
        by path: (ElementPath<Resource>) -> Path, isOrdered: Bool
    ) throws -> [ValueCount<Path.Value>]? {
        var groups: [ValueCount<Path.Value>] = []
        var isRight = true
        try each(path, isOrdered: isOrdered, { "\($0), \($1)" }, tail: { " GROUP BY \($0) ORDER BY 2 DESC, 1" }) { value, row in
            groups.append(ValueCount(value: value, count: Int(row.int(1))))
            isRight = isRight && row.type(1) != .null
            return isRight
        }
        return isRight ? groups : nil
    }
}

/// The number of a query's results with a value.
public struct ValueCount<Value> {
    /// The value.
    public let value: Value
    /// The number of results that have it.
    public let count: Int
}

extension ValueCount: Sendable where Value: Sendable {}
extension ValueCount: Equatable where Value: Equatable {}
extension ValueCount: Hashable where Value: Hashable {}

import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRQuery {
    // MARK: - Figures of all results

    /// The sum of the numbers at a path, computed by SQLite with doubles; 0 if there are none. Through lists, of the least value of each resource.
    ///
    /// - Throws: `FHIRStoreError`.
    public func sum<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> Double where Path.Value: QueryNumeric {
        try value(of: QueryFigures().sum(path))
    }

    /// The sum of the numbers at a path, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func sum<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> Double
    where Path.Value: QueryNumeric {
        let aggregate = QueryFigures<Resource>().sum(path)
        return try await store.reading { try self.value(of: aggregate) }
    }

    /// The mean of the numbers at a path, computed by SQLite with doubles; nil if there are none. Through lists, of the least value of each resource.
    ///
    /// - Throws: `FHIRStoreError`.
    public func average<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> Double? where Path.Value: QueryNumeric {
        try value(of: QueryFigures().average(path))
    }

    /// The mean of the numbers at a path, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func average<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> Double?
    where Path.Value: QueryNumeric {
        let aggregate = QueryFigures<Resource>().average(path)
        return try await store.reading { try self.value(of: aggregate) }
    }

    /// The number of distinct values at a path; through lists, of the least value of each resource.
    ///
    /// - Throws: `FHIRStoreError`.
    public func count<Path: QueryValuePath>(distinct path: (ElementPath<Resource>) -> Path) throws -> Int {
        try value(of: QueryFigures().count(distinct: path))
    }

    /// The number of distinct values at a path, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func count<Path: QueryValuePath>(distinct path: (ElementPath<Resource>) -> Path) async throws -> Int {
        let aggregate = QueryFigures<Resource>().count(distinct: path)
        return try await store.reading { try self.value(of: aggregate) }
    }

    private func value<Value: Sendable>(of aggregate: QueryAggregate<Resource, Value>) throws -> Value {
        try FigureReader(figures([aggregate.function])).next(aggregate)
    }

    /// Figures of all results, computed in one statement.
    ///
    /// ```swift
    /// let (count, mean) = try store.query(Observation.self).aggregates { ($0.count, $0.average { $0.valueQuantity.value }) }
    /// ```
    /// - Throws: `FHIRStoreError`.
    public func aggregates<each Value: Sendable>(
        _ figures: (QueryFigures<Resource>) -> (repeat QueryAggregate<Resource, each Value>)
    ) throws -> (repeat each Value) {
        let aggregates = figures(QueryFigures())
        let reader = FigureReader(try self.figures(Self.functions(repeat each aggregates)))
        return (repeat reader.next(each aggregates))
    }

    /// Figures of all results, computed in one statement, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func aggregates<each Value: Sendable>(
        _ figures: (QueryFigures<Resource>) -> (repeat QueryAggregate<Resource, each Value>)
    ) async throws -> (repeat each Value) {
        let aggregates = figures(QueryFigures())
        let functions = Self.functions(repeat each aggregates)
        let reader = FigureReader(try await store.reading { try self.figures(functions) })
        return (repeat reader.next(each aggregates))
    }

    // MARK: - Figures of groups

    /// Figures of the results with each value at a path, the largest group first, computed in one statement.
    ///
    /// ```swift
    /// let groups = try store.query(Observation.self)
    ///     .group(by: { $0.code.coding.code }) { ($0.count, $0.average { $0.valueQuantity.value }) }
    /// for group in groups { print(group.key, group.values.0, group.values.1 ?? 0) }
    /// ```
    /// A result with several values at the path is in several groups, and in each of them once.
    /// - Parameters:
    ///   - path: the path of the keys. Results without a value there are in no group.
    ///   - figures: the figures of each group.
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the path is that of a complex element.
    public func group<Path: QueryValuePath, each Value: Sendable>(
        by path: (ElementPath<Resource>) -> Path, _ figures: (QueryFigures<Resource>) -> (repeat QueryAggregate<Resource, each Value>)
    ) throws -> [(key: Path.Value, values: (repeat each Value))] {
        let aggregates = figures(QueryFigures())
        let rows = try groupRows(path(ElementPath(QueryPath()))._path.path, Self.functions(repeat each aggregates))
        return Self.groups(of: rows, by: Path.Value.self, repeat each aggregates)
    }

    /// Figures of the results with each value at a path, the largest group first, without blocking the caller.
    ///
    /// - Parameters:
    ///   - path: the path of the keys. Results without a value there are in no group.
    ///   - figures: the figures of each group.
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the path is that of a complex element; `CancellationError` if the task was cancelled.
    public func group<Path: QueryValuePath, each Value: Sendable>(
        by path: (ElementPath<Resource>) -> Path, _ figures: (QueryFigures<Resource>) -> (repeat QueryAggregate<Resource, each Value>)
    ) async throws -> [(key: Path.Value, values: (repeat each Value))] {
        let aggregates = figures(QueryFigures())
        let keys = path(ElementPath(QueryPath()))._path.path
        let functions = Self.functions(repeat each aggregates)
        let rows = try await store.reading { try self.groupRows(keys, functions) }
        return Self.groups(of: rows, by: Path.Value.self, repeat each aggregates)
    }

    private static func groups<Key, each Value: Sendable>(
        of rows: [FigureRow], by type: Key.Type, _ aggregates: repeat QueryAggregate<Resource, each Value>
    ) -> [(key: Key, values: (repeat each Value))] {
        rows.compactMap { row in
            guard let key = AggregateValue.value(row.key, row.keyType, as: Key.self) else { return nil }
            let reader = FigureReader(row)
            return (key: key, values: (repeat reader.next(each aggregates)))
        }
    }

    // MARK: - Statements

    private static func functions<each Value: Sendable>(
        _ aggregates: repeat QueryAggregate<Resource, each Value>
    ) -> [AggregateFunction] {
        var functions: [AggregateFunction] = []
        repeat functions.append((each aggregates).function)
        return functions
    }

    private func figures(_ functions: [AggregateFunction]) throws -> FigureRow {
        var found: FigureRow?
        try perform { transaction, _ in
            guard let statement = try transaction.statement(whole(transaction)) else { return }
            let (columns, types) = try Self.columns(functions, statement)
            let selected = zip(functions, columns).map { $0.sql($1) }
            let sql = try statement.over(.joined(selected, ", "))
            try transaction.forEachRow(sql) { row in
                found = FigureRow(values: functions.indices.map { row.value($0) }, types: types)
                return false
            }
        }
        // The file has no resource of the type.
        return found ?? FigureRow(values: functions.map { _ in .null }, types: functions.map { _ in nil })
    }

    private func groupRows(_ path: QueryPath, _ functions: [AggregateFunction]) throws -> [FigureRow] {
        var rows: [FigureRow] = []
        try perform { transaction, _ in
            guard let statement = try transaction.statement(whole(transaction)) else { return }
            let (columns, types) = try Self.columns(functions, statement)
            guard let (inner, key) = try statement.keyed(path, columns) else { return }
            let names: [SQLFragment] = functions.indices.map { "v\($0)" }
            let selected = zip(functions, names).map { $0.sql($1) }
            let list: SQLFragment = .joined(["g"] + selected + ["count(*)"], ", ")
            let sql: SQLFragment = "SELECT \(list) FROM (\(inner)) GROUP BY g ORDER BY \(functions.count + 2) DESC, 1"
            try transaction.forEachRow(sql) { row in
                rows.append(
                    FigureRow(key: row.value(0), keyType: key.type, values: functions.indices.map { row.value($0 + 1) }, types: types))
                return true
            }
        }
        return rows
    }

    /// The request; if it is a page of results, a request for these results.
    private func whole(_ transaction: ReadTransaction) throws -> QueryRequest {
        var request = request
        guard request.isPart else { return request }
        var keys: [Int64] = []
        try transaction.forEachResult(request) { row in
            keys.append(row.int(0))
            return true
        }
        request.ofAll(keys)
        return request
    }

    /// The column of each function's element, with its type.
    private static func columns(
        _ functions: [AggregateFunction], _ statement: QueryStatement
    ) throws -> (sql: [SQLFragment], types: [PrimitiveType?]) {
        var columns: [SQLFragment] = []
        var types: [PrimitiveType?] = []
        for function in functions {
            guard let path = function.path else {
                columns.append("1")
                types.append(nil)
                continue
            }
            let (sql, column) = try statement.compiler.value(path, statement.scope, function.wantsGreatest ? .greatest : .least)
            columns.append(sql)
            types.append(column?.type)
        }
        return (columns, types)
    }
}

/// A row of figures: the results of aggregates in the order of their functions.
private struct FigureRow {
    var key = SQLValue.null
    var keyType: PrimitiveType?
    let values: [SQLValue]
    let types: [PrimitiveType?]
}

/// Reads the figures of a row one after another.
private final class FigureReader {
    private let row: FigureRow
    private var index = -1

    init(_ row: FigureRow) { self.row = row }

    func next<Resource: FHIRResource, Value: Sendable>(_ aggregate: QueryAggregate<Resource, Value>) -> Value {
        index += 1
        return aggregate.value(row.values[index], row.types[index])
    }
}

extension QueryStatement {
    /// `SELECT` of a row for each result and each of its values at a path: the value as `g`, and columns as `v0`, `v1` and so on. Nil if the file has
    /// no such column.
    func keyed(_ path: QueryPath, _ columns: [SQLFragment]) throws -> (sql: SQLFragment, column: StoredColumn)? {
        guard let rows = try compiler.rows(path, scope) else { return nil }
        guard case .column(let column) = rows.leaf else {
            throw FHIRStoreError(.invalidArgument, "only primitives can be the keys of groups: name a primitive element of the complex one")
        }
        guard column.name != nil else { return nil }
        let named = columns.enumerated().map { index, sql -> SQLFragment in "\(sql) AS v\(index)" }
        let selected: SQLFragment = .joined(["DISTINCT \(column.sql) AS g", "\(Self.alias)._k AS k"] + named, ", ")
        let present = SQLFragment.all([rows.condition, "\(column) IS NOT NULL"])
        return (try over(selected, joins: rows.joins, condition: present), column)
    }
}

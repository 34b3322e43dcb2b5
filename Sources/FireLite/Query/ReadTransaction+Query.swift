import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// A query for the resources of a type, on this transaction's view.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> {
        requireActive()
        return FHIRQuery(store: store)
    }

    /// The statement of a request; nil if the file has no resource of the type.
    func statement(_ request: QueryRequest) throws -> QueryStatement? {
        try statement(ofRestricted: restricted(request))
    }

    private func statement(ofRestricted request: QueryRequest) throws -> QueryStatement? {
        let statement = try QueryStatement(request, access, store.identity)
        return statement.isEmpty ? nil : statement
    }

    /// Runs a statement and calls `body` with each row until it returns false.
    func forEachRow(_ fragment: SQLFragment, _ body: (Statement) throws -> Bool) throws {
        try forEachRow(of: fragment.statement, body)
    }

    /// Runs a statement and calls `body` with each row until it returns false.
    func forEachRow(of sql: SQLStatement, _ body: (Statement) throws -> Bool) throws {
        noteTables(of: sql.sql)
        let statement = try access.queries.statement(sql.sql, access.connection)
        defer { statement.reset() }
        statement.bind(sql.arguments)
        while try statement.step() { if try !body(statement) { return } }
    }

    /// Calls `body` with each row of the results in their order: the key first, then the id or the sort values for a cursor, if they are wanted.
    func forEachResult(
        _ request: QueryRequest, withID: Bool = false, withCursor: Bool = false, _ body: (Statement) throws -> Bool
    ) throws {
        let request = try restricted(request)
        let columns = withID ? ResultColumns.ids : withCursor ? .places : .none
        switch try sharedStatement(request, columns) {
        case .empty?: return
        case .keys(let sql)?: try forEachRow(of: sql, body)
        case .walk(let sql, let end)?:
            var count = 0
            var isEnded = false
            try forEachRow(of: sql) { row in
                count += 1
                isEnded = try !body(row)
                return !isEnded
            }
            guard let end, let limit = request.limit, !isEnded, count < limit else { return }
            if case .keys(let sql)? = try sharedStatement(request, columns, .rest(limit: limit - count, after: end)) {
                return try forEachRow(of: sql, body)
            }
            guard let statement = try statement(ofRestricted: request) else { return }
            try forEachRow(statement.keys(withID ? [statement.id] : [], limit: limit - count, after: end), body)
        case nil:
            guard let statement = try statement(ofRestricted: request) else { return }
            try forEachResult(of: statement, withID ? [statement.id] : [], withCursor: withCursor, body)
        }
    }

    /// Calls `body` with each row of the results in their order: the key first, then `columns`, then the sort values for a cursor.
    func forEachResult(
        _ request: QueryRequest, columns: (QueryStatement) throws -> [SQLFragment], withCursor: Bool = false,
        _ body: (Statement) throws -> Bool
    ) throws {
        guard let statement = try statement(request) else { return }
        try forEachResult(of: statement, columns(statement), withCursor: withCursor, body)
    }

    private func forEachResult(
        of statement: QueryStatement, _ columns: [SQLFragment], withCursor: Bool, _ body: (Statement) throws -> Bool
    ) throws {
        let request = statement.request
        if let walk = try statement.walk(columns) { return try forEachResult(of: statement, walk, columns, body) }
        guard statement.hasTwoParts else {
            return try forEachRow(statement.keys(columns, withCursor: withCursor), body)
        }
        var count = 0
        var isEnded = false
        try forEachRow(statement.keys(columns, withCursor: withCursor, part: .present)) { row in
            count += 1
            isEnded = try !body(row)
            return !isEnded
        }
        if isEnded { return }
        let rest = request.limit.map { $0 - count }
        if let rest, rest <= 0 { return }
        try forEachRow(statement.keys(columns, withCursor: withCursor, part: .absent, limit: rest), body)
    }

    /// Walks through resources in search of the first results, and finds the rest of them by the leading condition.
    private func forEachResult(
        of statement: QueryStatement, _ walk: QueryStatement.Walk, _ columns: [SQLFragment], _ body: (Statement) throws -> Bool
    ) throws {
        var count = 0
        var isEnded = false
        try forEachRow(walk.keys) { row in
            count += 1
            isEnded = try !body(row)
            return !isEnded
        }
        guard let end = walk.end, let limit = statement.request.limit, !isEnded, count < limit else { return }
        try forEachRow(statement.keys(columns, limit: limit - count, after: end), body)
    }

    /// The number of results of a request, with limit and offset applied.
    func count(_ request: QueryRequest) throws -> Int {
        if request.limit != nil || request.offset > 0 || request.cursor != nil { return try roots(request).count }
        guard let statement = try statement(request) else { return 0 }
        if let sets = try statement.keySets(), let count = try commonResources(sets) { return count }
        for isOrdered in [true, false] {
            var count: Int?
            try forEachRow(statement.counting(isOrdered: isOrdered)) { row in
                count = row.type(0) == .null ? nil : Int(row.int(0))
                return false
            }
            if let count { return count }
        }
        return 0
    }

    /// The greatest number of a resource for which there is a byte in memory to count it.
    private static let mostNumbers: Int64 = 1 << 25

    /// The number of resources that each of several sets of keys names; nil if there are too many numbers.
    private func commonResources(_ sets: [SQLFragment]) throws -> Int? {
        let greatest = try Registry.greatestRoot(access.connection)
        guard greatest <= Self.mostNumbers, sets.count < UInt8.max else { return nil }
        // For each resource the number of sets in a row, from the first, that name it.
        var named = [UInt8](repeating: 0, count: Int(greatest) + 1)
        var count = 0
        for (before, set) in sets.enumerated() {
            count = 0
            try forEachRow(set) { row in
                let root = Int(RowKey.root(row.int(0)))
                if named.indices.contains(root), named[root] == UInt8(before) {
                    named[root] += 1
                    count += 1
                }
                return true
            }
            if count == 0 { break }
        }
        return count
    }

    /// Calls `body` with each result in order.
    func forEach(_ request: QueryRequest, _ body: (FHIRResource) throws -> Void) throws {
        if request.isWholeType, restriction == nil { return try forEach(typeName: request.layout.name, body) }
        try forEachBatch(request) { batch in
            for resource in batch where !resource.objectFlags.contains(.deleted) { try body(resource) }
        }
    }

    /// Calls `body` with the results in order, in batches; only the numbers of the others are in memory.
    func forEachBatch(_ request: QueryRequest, of size: Int = 256, _ body: ([FHIRResource]) throws -> Void) throws {
        let roots = try roots(request)
        var start = 0
        while start < roots.count {
            try Cancellation.check()
            let end = min(start + size, roots.count)
            try body(loader.resources(roots: roots[start..<end]))
            start = end
        }
    }

    /// The numbers of the results.
    func roots(_ request: QueryRequest) throws -> [Int64] {
        var roots: [Int64] = []
        try forEachResult(request) { row in
            roots.append(RowKey.root(row.int(0)))
            return true
        }
        return roots
    }
}

extension ReadTransaction {
    /// Calls `body` with the logical id of each result that has one, in order, until it returns false.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError`.
    package func forEachID(_ request: QueryRequest, _ body: (String) throws -> Bool) throws {
        var ids: [String] = []
        try perform {
            try forEachResult(request, withID: true) { row in
                if let id = row.text(1) { ids.append(id) }
                return true
            }
        }
        for id in ids { guard try body(id) else { return } }
    }
}

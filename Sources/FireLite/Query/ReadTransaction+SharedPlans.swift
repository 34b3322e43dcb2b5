import FireLiteCore

/// A statement for the results of a request.
enum PlannedStatement {
    /// There are none.
    case empty
    case keys(SQLStatement)
    /// One to begin with, which reads resources one by one up to a key; nil if it reads to the end.
    case walk(SQLStatement, end: Int64?)
}

extension ReadTransaction {
    /// The statement of a request, by the plans of its shape; nil if such requests are compiled one by one.
    ///
    /// The planner's questions are asked again, as other values may have more rows; what they lead to is compiled once.
    ///
    /// - Parameter request: with the conditions of its restrictions.
    func sharedStatement(
        _ request: QueryRequest, _ columns: ResultColumns, _ part: RequestShape.Part = .first
    ) throws -> PlannedStatement? {
        let plans = access.queries.plans
        guard plans.isOn, let version = access.schema.version, let shape = RequestShape(request, columns, part) else { return nil }
        let bases = try access.preparedForQueries(store.identity)
        let root = plans.node(shape.key, version: version, changes: access.schema.changes, bases: bases.texts)
        var values = shape.values
        let statistics = RowStatistics(access, keepingFor: root)
        var node = root
        var end: Int64?
        while node.statement == nil, let question = node.question {
            let answer: Int
            switch try statistics.reply(to: question, values) {
            case .number(let number): answer = number
            case .end(let key): (answer, end) = (0, key)
            }
            guard let next = node.answers[answer] else { break }
            node = next
        }
        let statement: PlanNode.Statement
        if let known = node.statement {
            statement = known
        } else {
            let trace = PlanTrace(values, root)
            statement = try compile(request.marked(values), columns, part, trace, statistics)
            plans.noteCompilation()
            root.keep(statement, trace)
            end = trace.end
        }
        if let end { values.numbers[2] = end }
        switch statement {
        case .own: return nil
        case .empty: return .empty
        case .keys(let template): return .keys(template.statement(values))
        case .walk(let template): return .walk(template.statement(values), end: end)
        }
    }

    /// Compiles a request with marks.
    private func compile(
        _ request: QueryRequest, _ columns: ResultColumns, _ part: RequestShape.Part, _ trace: PlanTrace, _ statistics: RowStatistics
    ) throws -> PlanNode.Statement {
        statistics.trace = trace
        defer { statistics.trace = nil }
        do {
            let statement = try QueryStatement(request, access, store.identity, statistics)
            if statement.isEmpty { return .empty }
            let selected = columns == .ids ? [try statement.id] : []
            if case .rest = part {
                let keys = try statement.keys(selected, limit: Int(ShapeMarks.limit), after: ShapeMarks.after)
                return .keys(try StatementTemplate(keys.statement, trace.values))
            }
            if let walk = try statement.walk(selected) { return .walk(try StatementTemplate(walk.keys.statement, trace.values)) }
            let keys = try statement.keys(selected, withCursor: columns == .places)
            return .keys(try StatementTemplate(keys.statement, trace.values))
        } catch is StatementTemplate.NotShared {
            return .own
        } catch is FHIRStoreError {
            // Compiled by itself it has the same error, with its own values.
            return .own
        }
    }
}

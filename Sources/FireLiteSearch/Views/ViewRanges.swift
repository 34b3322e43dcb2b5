import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// The rows that a view has for the resources in a range of numbers, made on any thread.
struct ViewRanges: Sendable {
    private let plan: ViewPlan
    private let bases: [String]
    /// The statement and its text; nil if the rows are made from objects.
    private let statement: ViewCompiler.Statement?
    private let sql: String

    /// Nil if one thread is to make all rows: expressions ask a terminology, which may be for one thread, the view has no table, or repeats steps in SQL.
    ///
    /// - Parameter asks: whether there is a terminology to ask.
    /// - Throws: `ViewError`, with code `notCompiled` if the view must be SQL and cannot be; `FHIRStoreError`.
    init?(_ plan: ViewPlan, _ backEnd: ViewBackEnd, asks: Bool, _ transaction: ReadTransaction) throws {
        self.plan = plan
        bases = try transaction.bases()
        var statement: ViewCompiler.Statement?
        var sql = ""
        if backEnd != .objects {
            do {
                statement = try ViewCompiler.statement(plan, transaction.tableWalk(), .storedRows, bases: bases, ofRange: true)
                if statement == nil { return nil }
                // Texts with a zero byte are no part of a statement's text.
                sql = statement?.sql.literalText ?? ""
            } catch let error as ViewError where error.code == .notCompiled && backEnd == .automatic {}
            if statement != nil, sql.isEmpty { return nil }
            // SQLite would follow the steps of all resources for each range.
            if statement != nil, plan.selects.contains(where: \.repeats) { return nil }
        }
        // Its statement asks nothing, but some resource may need the evaluator.
        if asks, plan.asksTerminology { return nil }
        (self.statement, self.sql) = (statement, sql)
    }

    /// The rows of the resources in a range, up to one that has none because of an error: `ViewError` or `FHIRStoreError`.
    func rows(in numbers: ClosedRange<Int64>, _ transaction: ReadTransaction) -> PartialResult<[ViewRow]> {
        guard let statement else { return evaluated(numbers, transaction) }
        let selected = PartialResult<[ViewRow]> { rows in
            let reader = CompiledRows(statement, bases: bases)
            let keys = RowKey.range(numbers)
            let arguments: [SQLValue] = [.integer(keys.lowerBound), .integer(keys.upperBound)]
            try transaction.store.forEachStatementRow(SQLStatement(sql: sql, arguments: arguments)) { row in
                rows.append(ViewRow(columns: plan.columns, values: try reader.values(row)))
            }
        }
        // If it has found several values where there may be one, the evaluator says which, or what is wrong.
        guard let failure = selected.failure as? FHIRStoreError, failure.code == .sqlite else { return selected }
        return evaluated(numbers, transaction)
    }

    private func evaluated(_ numbers: ClosedRange<Int64>, _ transaction: ReadTransaction) -> PartialResult<[ViewRow]> {
        PartialResult<[ViewRow]> { rows in
            var evaluator = ViewEvaluator(plan, bases: bases) { try transaction.resource(reference: $0) }
            try transaction.forEach(typeName: plan.definition.resource, in: numbers) { resource in
                try evaluator.forEachRow(of: resource) { rows.append(ViewRow(columns: plan.columns, values: $0)) }
            }
        }
    }
}

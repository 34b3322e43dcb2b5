import FireLite
import FireLiteCore
import FireLiteFHIRPath

extension ViewDefinition {
    /// Checks the definition and its expressions against the classes of a release.
    ///
    /// - Throws: `ViewError` with the place of the first mistake.
    public func validate(for release: FHIRRelease) throws { _ = try ViewPlan(self, release: release) }

    /// The rows that the view has for a resource, which need not be stored.
    ///
    /// - Parameters:
    ///   - resource: a resource; one of another type has no rows.
    ///   - bases: the base addresses under which references have a key, as `FHIRStore.bases()`; none by default.
    ///   - terminology: what `memberOf`, `subsumes` and `%terminologies` ask; expressions with these are errors without one. Default: none.
    ///   - resolve: finds the resource of a reference, for `resolve()`.
    /// - Throws: `ViewError`; what `terminology` and `resolve` throw.
    public func rows(
        of resource: FHIRResource, bases: [String] = [], terminology: (any FHIRPathTerminology)? = nil,
        resolve: ((String) throws -> FHIRResource?)? = nil
    ) throws -> [ViewRow] {
        let plan = try ViewPlan(self, release: resource.layout.release)
        var evaluator = ViewEvaluator(plan, bases: bases, terminology: terminology, resolve: resolve)
        var rows: [ViewRow] = []
        try evaluator.forEachRow(of: resource) { rows.append(ViewRow(columns: plan.columns, values: $0)) }
        return rows
    }
}

extension FHIRStore {
    /// Calls `body` with each row of a view, on one snapshot; memory holds the rows of one resource.
    ///
    /// The view is one SQL statement if its expressions allow, and evaluated on objects otherwise, with the same rows.
    ///
    /// - Parameters:
    ///   - view: the definition of the view.
    ///   - terminology: what `memberOf`, `subsumes` and `%terminologies` of the view's expressions ask; they are errors without one. Default: none.
    ///   - body: receives each row, in the order of the resources.
    /// - Throws: `ViewError` if the view is not valid, or its expressions cannot be evaluated; `FHIRStoreError`; what `terminology` and `body` throw.
    public func forEachRow(
        of view: ViewDefinition, terminology: (any FHIRPathTerminology)? = nil, _ body: (ViewRow) throws -> Void
    ) throws {
        try forEachRow(of: view, by: .automatic, terminology: terminology, body)
    }

    /// The same, made in a given way.
    package func forEachRow(
        of view: ViewDefinition, by backEnd: ViewBackEnd, terminology: (any FHIRPathTerminology)? = nil, _ body: (ViewRow) throws -> Void
    ) throws {
        try forEachRow(ViewPlan(view, release: release), backEnd, terminology, body)
    }

    /// The SQL statement that gives the rows of a view, for inspection.
    ///
    /// - Throws: `ViewError`, with code `notCompiled` if the view cannot be one statement; `FHIRStoreError`.
    public func sql(of view: ViewDefinition) throws -> String {
        let plan = try ViewPlan(view, release: release)
        return try read { transaction in
            try ViewCompiler.statement(plan, transaction.tableWalk(), .rows, bases: transaction.bases())?.literalText
                ?? "SELECT NULL WHERE 0"
        }
    }

    private func forEachRow(
        _ plan: ViewPlan, _ backEnd: ViewBackEnd, _ terminology: (any FHIRPathTerminology)?, _ body: (ViewRow) throws -> Void
    ) throws {
        try forEachPiece(of: plan, by: backEnd, terminology, make: { $0 }, { for row in $0 { try body(row) } }, alone: body)
    }

    /// Calls `body` with what is made of the rows, some at a time, in their order, on several threads; or `alone` with each row, if one thread makes them.
    func forEachPiece<Piece: Sendable>(
        of plan: ViewPlan, by backEnd: ViewBackEnd = .automatic, _ terminology: (any FHIRPathTerminology)?,
        make: @escaping @Sendable ([ViewRow]) -> Piece, _ body: (Piece) throws -> Void, alone: (ViewRow) throws -> Void
    ) throws {
        try forEachRange(
            ofTypeNamed: plan.definition.resource,
            prepare: { try ViewRanges(plan, backEnd, asks: terminology != nil, $0) },
            transform: { transaction, ranges, range in
                let rows = ranges.rows(in: range, transaction)
                return (PartialResult(make(rows.value), failure: rows.failure), rows.value.count)
            },
            deliver: body,
            alone: { try forEachRow(plan, backEnd, terminology, $0, alone) })
    }

    /// All rows, made by this thread.
    private func forEachRow(
        _ plan: ViewPlan, _ backEnd: ViewBackEnd, _ terminology: (any FHIRPathTerminology)?, _ transaction: ReadTransaction,
        _ body: (ViewRow) throws -> Void
    ) throws {
        var delivered = 0
        if backEnd != .objects {
            guard try !isDone(plan, transaction: transaction, backEnd: backEnd, delivered: &delivered, body: body) else { return }
        }
        // What SQL cannot say, or has found several values for: the rows come in the same order.
        var skipped = 0
        try evaluate(plan, transaction, terminology) { row in
            if skipped < delivered { skipped += 1 } else { try body(row) }
        }
    }

    /// Runs the view as one statement; returns false if that is not possible.
    private func isDone(
        _ plan: ViewPlan, transaction: ReadTransaction, backEnd: ViewBackEnd, delivered: inout Int, body: (ViewRow) throws -> Void
    ) throws -> Bool {
        var failure: (any Error)?
        do {
            let bases = try transaction.bases()
            guard let statement = try ViewCompiler.statement(plan, transaction.tableWalk(), .storedRows, bases: bases) else { return true }
            let reader = CompiledRows(statement, bases: bases)
            try forEachStatementRow(statement.sql.statement) { row in
                let values = try reader.values(row)
                do { try body(ViewRow(columns: plan.columns, values: values)) } catch {
                    failure = error
                    throw error
                }
                delivered += 1
            }
            return true
        } catch {
            if let failure { throw failure }
            switch error {
            case let error as ViewError where error.code == .notCompiled && backEnd == .automatic: return false
            case let error as FHIRStoreError where error.code == .sqlite: return false
            default: throw error
            }
        }
    }

    private func evaluate(
        _ plan: ViewPlan, _ transaction: ReadTransaction, _ terminology: (any FHIRPathTerminology)?, _ body: (ViewRow) throws -> Void
    ) throws {
        var evaluator = ViewEvaluator(plan, bases: try transaction.bases(), terminology: terminology) {
            try transaction.resource(reference: $0)
        }
        try transaction.forEach(typeName: plan.definition.resource) { resource in
            try evaluator.forEachRow(of: resource) { try body(ViewRow(columns: plan.columns, values: $0)) }
        }
    }

    /// The rows of a view, one by one, for `for try await`.
    ///
    /// ```swift
    /// for try await row in store.rows(view) { print(row["family"]) }
    /// ```
    /// The rows are read ahead on a thread and a snapshot of the store's own, up to a megabyte of them.
    ///
    /// - Parameters:
    ///   - view: the view. The loop throws `ViewError` if it is not valid.
    ///   - terminology: what `memberOf`, `subsumes` and `%terminologies` of the view's expressions ask; they are errors without one. Default: none.
    public func rows(_ view: ViewDefinition, terminology: (any FHIRPathTerminology & Sendable)? = nil) -> ViewRows {
        ViewRows(store: self, view: view, terminology: terminology)
    }
}

import FireLiteSQLiteBridge

/// Numbers of rows for plans, counted in the file up to a limit.
final class RowStatistics {
    private let access: StoreConnection
    /// The counts of the current plan, which needs some of them several times.
    private var known: [Question: Int] = [:]
    /// The number of the newest resource.
    private var newest: Int64?
    /// Notes the questions of a compilation for all requests of a shape; nil for one request.
    var trace: PlanTrace?

    /// What is known of the `SELECT`s of a plan that is shared, by their numbers.
    private var knownOfShape: [Int: KnownRows] = [:]

    private struct Question: Hashable {
        let sql: String
        let arguments: [SQLValue]
    }

    /// The shape whose questions are asked; nil if nothing is kept of the answers.
    private let shape: PlanNode?
    /// The state of the file when the first was asked.
    private var state: StoreConnection.FileState?

    /// - Parameter shape: the plans for which to keep how many rows the values of requests have, until the file changes; nil for none.
    init(_ access: StoreConnection, keepingFor shape: PlanNode? = nil) { (self.access, self.shape) = (access, shape) }

    // MARK: - Counting

    /// The number of rows of a `SELECT`, at most `limit`.
    func rows(_ select: SQLFragment, upTo limit: Int) throws -> Int {
        guard let trace else { return try answer(Self.counting(select, upTo: limit).statement) }
        let counted = try trace.counted(select)
        let count = try rows(counted, trace.values, upTo: limit)
        trace.note(.rows(counted, limit: limit), count)
        return count
    }

    /// Whether a `SELECT` has more rows than `limit`: a third of the work of counting them.
    private func hasMore(_ select: SQLFragment, than limit: Int) throws -> Bool {
        try answer(Self.looking(select, beyond: limit).statement) > 0
    }

    /// Whether several `SELECT`s together have more rows than `limit`.
    func hasMore(_ selects: [SQLFragment], than limit: Int) throws -> Bool {
        // Only counts ask, which share no plans.
        if trace != nil { throw StatementTemplate.NotShared() }
        return try QueryPlan.hasMore(selects, than: limit, rows: { try rows($0, upTo: $1) }, hasMore: { try hasMore($0, than: $1) })
    }

    static func counting(_ select: SQLFragment, upTo limit: Int) -> SQLFragment {
        "SELECT count(*) FROM (\(select) LIMIT \(bind: .integer(Int64(limit))))"
    }

    static func looking(_ select: SQLFragment, beyond limit: Int) -> SQLFragment {
        "\(select) LIMIT 1 OFFSET \(bind: .integer(Int64(limit)))"
    }

    private func rows(_ select: CountedSelect, _ values: ShapeValues, upTo limit: Int) throws -> Int {
        var known = try known(select, values)
        if let rows = known.rows(upTo: limit) { return rows }
        let rows = try answer(select.rows, values, limit)
        known.least = rows
        if rows < limit { known.most = rows }
        keep(known, select, values)
        return rows
    }

    private func hasMore(_ select: CountedSelect, _ values: ShapeValues, than limit: Int) throws -> Bool {
        var known = try known(select, values)
        if let hasMore = known.hasMore(than: limit) { return hasMore }
        let hasMore = try answer(select.more, values, limit) > 0
        if hasMore { known.least = max(known.least, limit + 1) } else { known.most = min(known.most, limit) }
        keep(known, select, values)
        return hasMore
    }

    private func known(_ select: CountedSelect, _ values: ShapeValues) throws -> KnownRows {
        if let known = knownOfShape[select.number] { return known }
        guard let shape else { return KnownRows() }
        let state = try state ?? access.fileState()
        self.state = state
        return access.queries.plans.rows(KnownRows.Key(shape: shape, select: select, values), state) ?? KnownRows()
    }

    private func keep(_ known: KnownRows, _ select: CountedSelect, _ values: ShapeValues) {
        knownOfShape[select.number] = known
        guard let shape, let state else { return }
        access.queries.plans.keep(known, KnownRows.Key(shape: shape, select: select, values), state)
    }

    private func answer(_ template: StatementTemplate, _ values: ShapeValues, _ limit: Int) throws -> Int {
        let compiled = try access.queries.statement(template.sql, access.connection)
        defer { compiled.reset() }
        template.bind(values, last: limit, to: compiled)
        return try compiled.step() ? Int(compiled.int(0)) : 0
    }

    /// The first value of a statement; 0 if there is no row.
    private func answer(_ statement: SQLStatement) throws -> Int {
        let question = Question(sql: statement.sql, arguments: statement.arguments)
        if let count = known[question] { return count }
        let compiled = try access.queries.statement(statement.sql, access.connection)
        defer { compiled.reset() }
        compiled.bind(statement.arguments)
        let count = try compiled.step() ? Int(compiled.int(0)) : 0
        known[question] = count
        return count
    }

    // MARK: - Comparing

    /// The condition with the fewest rows of several, each of which is the rows of some `SELECT`s, and their approximate number; nil if each has
    /// more than `limit`.
    ///
    /// - Parameter isCounted: whether the number is wanted if it is low.
    func fewest(_ leads: [[SQLFragment]], atMost limit: Int, isCounted: Bool) throws -> (lead: Int, rows: Int)? {
        guard let trace else {
            return try QueryPlan.fewest(
                leads, atMost: limit, isCounted: isCounted, rows: { try rows($0, upTo: $1) }, hasMore: { try hasMore($0, than: $1) })
        }
        let counted = try leads.map { try $0.map { try trace.counted($0) } }
        let found = try fewest(counted, trace.values, atMost: limit, isCounted: isCounted)
        trace.note(.fewest(counted, limit: limit, isCounted: isCounted), PlanTrace.answer(found))
        return found
    }

    private func fewest(
        _ leads: [[CountedSelect]], _ values: ShapeValues, atMost limit: Int, isCounted: Bool
    ) throws -> (lead: Int, rows: Int)? {
        try QueryPlan.fewest(
            leads, atMost: limit, isCounted: isCounted, rows: { try rows($0, values, upTo: $1) },
            hasMore: { try hasMore($0, values, than: $1) })
    }

    // MARK: - Tables

    /// The approximate number of rows of a table.
    ///
    /// - Complexity: counts them by scanning the table's smallest index, or takes a sample of a large table; the result is cached until the store has
    ///   grown by a quarter.
    func size(of table: TablePlan) throws -> Int {
        let size = try storedSize(of: table)
        trace?.note(.size(table), size)
        return size
    }

    private func storedSize(of table: TablePlan) throws -> Int {
        let newest = try newest ?? Registry.greatestRoot(access.connection)
        self.newest = newest
        if let counted = access.queries.sizes[table.index] {
            let serves = counted.newest / 2...counted.newest + counted.newest / 4 + 1_000
            if serves.contains(newest) { return counted.rows }
        }
        let isLarge = newest > RowSample.leastSampled
        let rows = try isLarge ? sampledSize(of: table, newest) : counted("SELECT count(*) FROM \(table.quotedName)")
        access.queries.sizes[table.index] = QueryCache.Size(rows: rows, newest: newest)
        return rows
    }

    private func counted(_ sql: String) throws -> Int { Int(try access.connection.integer(sql) ?? 0) }

    private func sampledSize(of table: TablePlan, _ newest: Int64) throws -> Int {
        let first = try counted("SELECT count(*) FROM (SELECT 1 FROM \(table.quotedName) LIMIT \(Self.leastSampled))")
        guard first == Self.leastSampled else { return first }
        return try max(first, counted(RowSample.statement(table.quotedName, newest: newest, areRoots: false)))
    }

    /// A table with fewer rows is counted in any file.
    private static let leastSampled = 20_000

    /// The key of a table's row that comes so many rows after a key; nil if there are fewer.
    func key(in table: TablePlan, after start: Int64, number: Int) throws -> Int64? {
        let key = try storedKey(in: table, after: start, number: number)
        guard let trace else { return key }
        trace.note(.key(table, after: start, number: number), end: key)
        return ShapeMarks.end
    }

    private func storedKey(in table: TablePlan, after start: Int64, number: Int) throws -> Int64? {
        let statement = try access.queries.statement(
            "SELECT _k FROM \(table.quotedName) WHERE _k > ? ORDER BY _k LIMIT 1 OFFSET ?", access.connection)
        defer { statement.reset() }
        statement.bind([.integer(start), .integer(Int64(number))])
        return try statement.step() ? statement.int(0) : nil
    }

    // MARK: - Again

    /// The answer to a question of a shape's plan.
    func reply(to question: PlanQuestion, _ values: ShapeValues) throws -> PlanReply {
        switch question {
        case .fewest(let leads, let limit, let isCounted):
            .number(PlanTrace.answer(try fewest(leads, values, atMost: limit, isCounted: isCounted)))
        case .rows(let select, let limit): .number(try rows(select, values, upTo: limit))
        case .size(let table): .number(try storedSize(of: table))
        case .key(let table, let start, let number): .end(try storedKey(in: table, after: start, number: number))
        }
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

/// A question that the planner asks about the file.
enum PlanQuestion {
    /// Which of several conditions has the fewest rows, up to a limit, and perhaps how many.
    case fewest([[CountedSelect]], limit: Int, isCounted: Bool)
    /// The number of rows, up to a limit.
    case rows(CountedSelect, limit: Int)
    /// The approximate number of rows of a table.
    case size(TablePlan)
    /// The key that comes so many rows after another one: a value of the statement, so that every answer leads to the same statements.
    case key(TablePlan, after: Int64, number: Int)
}

/// The answer to such a question.
enum PlanReply {
    /// A number that decides about the statement.
    case number(Int)
    /// The key at which a walk ends; nil if it goes to the end.
    case end(Int64?)
}

/// A `SELECT` whose rows are counted, for all requests of a shape.
struct CountedSelect {
    /// Equal for those of a shape that say the same.
    let number: Int
    let rows: StatementTemplate
    let more: StatementTemplate
}

/// Between which numbers that of a `SELECT`'s rows is: each count says something about those up to other limits.
struct KnownRows {
    var least = 0
    var most = Int.max

    /// The number of rows, at most `limit`; nil if it is not known.
    func rows(upTo limit: Int) -> Int? { least >= limit ? limit : least == most ? least : nil }

    /// Whether there are more than `limit`; nil if it is not known.
    func hasMore(than limit: Int) -> Bool? { least > limit ? true : most <= limit ? false : nil }

    /// A `SELECT` of a shape with the values of a request.
    struct Key: Hashable {
        private let shape: Int
        private let number: Int
        private let arguments: [SQLValue]

        init(shape: PlanNode, select: CountedSelect, _ values: ShapeValues) {
            self.shape = shape.number
            number = select.number
            arguments = select.rows.arguments(values)
        }
    }
}

/// The questions of one compilation in their order, with the answers: the same answers lead to the same statements.
final class PlanTrace {
    /// The values whose marks are compiled.
    let values: ShapeValues
    /// The plans of the shape.
    private let root: PlanNode
    private(set) var steps: [(question: PlanQuestion, answer: Int)] = []
    /// The key at which a walk ends; nil without a walk, or if it goes to the end.
    private(set) var end: Int64?

    init(_ values: ShapeValues, _ root: PlanNode) { (self.values, self.root) = (values, root) }

    /// - Throws: `StatementTemplate.NotShared`.
    func counted(_ select: SQLFragment) throws -> CountedSelect {
        let rows = try StatementTemplate(RowStatistics.counting(select, upTo: 0).statement, values).withoutLast()
        let more = try StatementTemplate(RowStatistics.looking(select, beyond: 0).statement, values).withoutLast()
        return CountedSelect(number: root.number(of: rows), rows: rows, more: more)
    }

    func note(_ question: PlanQuestion, _ answer: Int) { steps.append((question, answer)) }

    func note(_ question: PlanQuestion, end: Int64?) {
        steps.append((question, 0))
        self.end = end
    }

    /// The answer to which of several conditions has the fewest rows.
    static func answer(_ found: (lead: Int, rows: Int)?) -> Int { found.map { $0.lead << 40 | $0.rows } ?? -1 }
}

/// What is known of the compilation of requests of one shape: the next question with what follows each answer, or the statement.
final class PlanNode {
    /// The statement of requests of a shape.
    enum Statement {
        /// There are no results.
        case empty
        case keys(StatementTemplate)
        /// A walk to begin with.
        case walk(StatementTemplate)
        /// Each request is compiled.
        case own
    }

    /// The number of the shape, at its first node.
    let number: Int
    private(set) var question: PlanQuestion?
    private(set) var answers: [Int: PlanNode] = [:]
    private(set) var statement: Statement?
    /// The numbers of the `SELECT`s of a shape, at its first node.
    private var numbers: [StatementTemplate: Int] = [:]

    init(number: Int = 0) { self.number = number }

    fileprivate func number(of select: StatementTemplate) -> Int {
        let number = numbers[select] ?? numbers.count
        numbers[select] = number
        return number
    }

    /// Keeps the statement that a compilation led to.
    func keep(_ statement: Statement, _ trace: PlanTrace) {
        if case .own = statement {
            (question, answers) = (nil, [:])
            self.statement = statement
            return
        }
        var node = self
        for (question, answer) in trace.steps {
            if let known = node.answers[answer] {
                node = known
                continue
            }
            // Others are compiled each time.
            guard node.answers.count < Self.mostAnswers else { return }
            let next = PlanNode()
            node.question = question
            node.answers[answer] = next
            node = next
        }
        node.statement = statement
    }

    private static let mostAnswers = 64
}

/// The plans that a connection keeps, by the shapes of requests. They go by what the file has: tables, columns, indexes and bases.
final class SharedPlans {
    private var nodes: [RequestShape.Key: PlanNode] = [:]
    private var count = 0
    private var shapes = 0
    /// How many rows the values of requests have, in one state of the file.
    private var rows: [KnownRows.Key: KnownRows] = [:]
    private var state: StoreConnection.FileState?
    private var version: Int64?
    private var changes = 0
    private var bases: [String] = []
    /// Few programs have more; then all are forgotten.
    private static let capacity = 500
    /// Whether plans are kept; not where a test compares them with others.
    var isOn = true

    /// The plans of a shape, for a file in this state.
    func node(_ key: RequestShape.Key, version: Int64, changes: Int, bases: [String]) -> PlanNode {
        if self.version != version || self.changes != changes || !self.bases.elementsEqual(bases, by: { $0.hasSameBytes(as: $1) }) {
            forget()
            (self.version, self.changes, self.bases) = (version, changes, bases)
        }
        if let known = nodes[key] { return known }
        if nodes.count >= Self.capacity { nodes.removeAll() }
        shapes += 1
        let node = PlanNode(number: shapes)
        nodes[key] = node
        return node
    }

    /// Forgets all plans, as a transaction that was rolled back may have changed the file's catalog.
    func forget() {
        nodes.removeAll()
        rows.removeAll()
        version = nil
    }

    /// How many rows a `SELECT` has in a state of the file; nil if that is not known.
    func rows(_ key: KnownRows.Key, _ state: StoreConnection.FileState) -> KnownRows? { self.state == state ? rows[key] : nil }

    /// Keeps how many rows a `SELECT` has in a state of the file, and forgets those of others.
    func keep(_ known: KnownRows, _ key: KnownRows.Key, _ state: StoreConnection.FileState) {
        if self.state != state || rows.count >= Self.mostRows {
            rows.removeAll()
            self.state = state
        }
        rows[key] = known
    }

    private static let mostRows = 2_000

    /// Counts a statement that was compiled.
    func noteCompilation() {
        compilations += 1
        count += 1
        if count > Self.mostStatements {
            nodes.removeAll()
            count = 0
        }
    }

    private static let mostStatements = 4_000
    /// The number of compilations so far, for tests.
    private(set) var compilations = 0
}

import FireLiteCore

/// A function of FHIRPath: all that its evaluation, the check before it and its form in SQL need to know.
package struct Function: Sendable {
    /// What arguments see and are.
    enum Arguments: Sendable {
        /// Values of `$this`.
        case values
        /// The arguments of these numbers see each item of the input; others see `$this`.
        case ofItems(ClosedRange<Int>)
        /// A criterion and two branches, all of which see the input (`iif`).
        case branches
        /// The name of a variable, and its value, which sees the input (`defineVariable`).
        case variable
        /// A step that is repeated on what it finds.
        case step
        /// Keys that see each item, with their direction.
        case sortKeys
        /// The name of a type.
        case type
        /// The name of a type, or nothing.
        case optionalType

        /// The numbers of the arguments that see the input or its items.
        var projected: ClosedRange<Int>? {
            switch self {
            case .ofItems(let numbers): numbers
            case .branches: 0...2
            case .variable: 1...1
            case .step: 0...0
            case .sortKeys: 0...Int.max
            case .values, .type, .optionalType: nil
            }
        }
    }

    /// What a compiler of SQL makes of a call.
    package enum SQLForm: Sendable {
        case filter, first, exists, empty, not, count, ofType, cast, typeTest, extensions, join, resourceKey, referenceKey, lowBoundary,
            highBoundary
    }

    /// The numbers of arguments it takes.
    package let counts: ClosedRange<Int>
    let arguments: Arguments
    /// What it gives, for the check before evaluation.
    let result: ResultRule
    /// Whether its result depends on the order of the input.
    let needsOrder: Bool
    /// Nil if there is no form in SQL.
    package let sql: SQLForm?
    let evaluate: @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]

    init(
        _ counts: ClosedRange<Int>, _ result: ResultRule, arguments: Arguments = .values, needsOrder: Bool = false, sql: SQLForm? = nil,
        _ evaluate: @escaping @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]
    ) {
        self.counts = counts
        self.result = result
        self.arguments = arguments
        self.needsOrder = needsOrder
        self.sql = sql
        self.evaluate = evaluate
    }

    init(
        _ count: Int, _ result: ResultRule, arguments: Arguments = .values, needsOrder: Bool = false, sql: SQLForm? = nil,
        _ evaluate: @escaping @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]
    ) {
        self.init(count...count, result, arguments: arguments, needsOrder: needsOrder, sql: sql, evaluate)
    }

    /// The function with a name; nil if there is none.
    package static func named(_ name: String) -> Function? { all[name] ?? aliases[name].flatMap { all[$0] } }

    /// What is said of a name that no function has.
    static func unknown(_ name: String) -> String {
        "there is no function '\(name)'" + NearWords.hint(for: name, among: all.keys.sorted())
    }

    /// Names that releases before the present specification give functions: STU3's.
    private static let aliases = ["htmlchecks": "htmlChecks"]

    /// Every function by its name, which no two share.
    static let all: [String: Function] = {
        var all: [String: Function] = [:]
        let groups = [
            existence, filtering, combining, types, conversion, strings, moreStrings, math, temporal, boundaries, tree, utility, fhir,
            terminology,
        ]
        for (name, function) in groups.joined() {
            misuse(unless: all[name] == nil, "there are two functions '\(name)': give one of them another name")
            all[name] = function
        }
        return all
    }()
}

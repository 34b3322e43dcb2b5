/// A function of FHIRPath.
struct Function: Sendable {
    /// The numbers of arguments it takes.
    let arguments: ClosedRange<Int>
    /// What it gives, for the check before evaluation.
    let result: ResultRule
    let evaluate: @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]

    init(
        _ arguments: ClosedRange<Int>, _ result: ResultRule,
        _ evaluate: @escaping @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]
    ) {
        self.arguments = arguments
        self.result = result
        self.evaluate = evaluate
    }

    init(_ arguments: Int, _ result: ResultRule, _ evaluate: @escaping @Sendable (FunctionNode, [Item], Evaluator) throws -> [Item]) {
        self.init(arguments...arguments, result, evaluate)
    }

    /// Every function by its name.
    static let all: [String: Function] = {
        var all: [String: Function] = [:]
        let groups = [
            existence, filtering, combining, types, conversion, strings, moreStrings, math, temporal, boundaries, tree, utility, fhir,
            terminology,
        ]
        for group in groups {
            all.merge(group) { first, _ in first }
        }
        // STU3's spelling.
        all["htmlchecks"] = all["htmlChecks"]
        return all
    }()
}

/// A part of a compiled expression.
///
/// `@unchecked Sendable`, like every subclass: a node and all its parts are constants once it is made, and literals hold no objects.
class Node: @unchecked Sendable {
    /// Where it is in the text.
    let position: Int

    init(_ position: Int) { self.position = position }

    /// The results for a collection.
    func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        // Invariant: every class of nodes overrides this.
        preconditionFailure("\(Self.self) does not evaluate")
    }

    /// The result as a truth value: nil if it is empty. One value that is not Boolean counts as true (FHIRPath 2.0, Singleton Evaluation of
    /// Collections).
    func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        let items = try evaluate(focus, evaluator)
        guard items.count <= 1 else { throw error("expected one value, found \(items.count)") }
        guard let item = items.first else { return nil }
        if case .boolean(let value) = item { return value }
        if case .boolean(let value)? = item.system { return value }
        return true
    }

    final func error(_ message: String) -> FHIRPathError { FHIRPathError(.execution, message, at: position) }

    /// The results without variables that the part defines: those are for what follows it in a path, not for other operands.
    final func scoped(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let count = evaluator.variables.count
        defer { if evaluator.variables.count > count { evaluator.variables.removeSubrange(count...) } }
        return try evaluate(focus, evaluator)
    }

    final func scopedTruth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        let count = evaluator.variables.count
        defer { if evaluator.variables.count > count { evaluator.variables.removeSubrange(count...) } }
        return try truth(focus, evaluator)
    }

    /// One value of FHIRPath's own types, or nil for none.
    final func operand(_ focus: [Item], _ evaluator: Evaluator) throws -> Item? {
        let items = try scoped(focus, evaluator)
        guard items.count <= 1 else { throw error("expected one value, found \(items.count)") }
        return items.first?.operand
    }
}

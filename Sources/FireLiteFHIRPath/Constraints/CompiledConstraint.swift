import FireLiteCore

/// A constraint with its compiled expression.
final class CompiledConstraint: Sendable {
    let constraint: FHIRPathConstraint
    private let program: Program
    private let isContentRule: Bool
    private let isAboutOrder: Bool

    /// The rule of all elements, ele-1: it is so common, and so often true, that it is checked without evaluation.
    private static let contentRules: Set<String> = [
        "hasValue() or (children().count() > id.count())", "hasValue() or (children().count() > id.count()) or $this is Parameters",
    ]

    init(_ constraint: FHIRPathConstraint) throws {
        self.constraint = constraint
        program = try ProgramCache.program(constraint.expression, .definitions)
        isContentRule = Self.contentRules.contains(constraint.expression)
        isAboutOrder = FHIRPathConstraint.isAboutOrder(constraint.expression)
    }

    /// Whether an item breaks the rule.
    ///
    /// - Parameter requiresTruth: whether a rule about an order is broken too if nothing orders the values.
    func isBroken(by item: Item, _ context: FHIRPathContext, requiresTruth: Bool) throws -> Bool {
        if isContentRule, case .object(let object) = item { return !Self.hasContent(object) }
        let truth = try program.run([item], context) { try $0.truth($1, $2) }
        return truth == false || truth == nil && requiresTruth && isAboutOrder
    }

    /// Whether the rule asks for a narrative, which contained resources should not have (FHIR, Resource, Contained Resources).
    var isAboutNarrative: Bool { constraint.key == "dom-6" }

    private static func hasContent(_ object: FHIRObject) -> Bool {
        if object.layout.isKind(of: "Parameters") { return true }
        let run = object.slotRun
        // The id is in the first slot of every class.
        return run.count > 1 || run.first.map { $0.index != 0 } ?? false
    }
}

extension FHIRPathConstraint {
    /// Whether an expression states an order, so that an empty result may mean that nothing orders the values.
    package static func isAboutOrder(_ expression: String) -> Bool {
        (expression.contains("<") || expression.contains(">")) && !expression.contains("resolve(") && !expression.contains("memberOf(")
    }
}

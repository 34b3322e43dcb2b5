import FireLiteCore

/// A constraint with its compiled expression.
package final class CompiledConstraint: Sendable {
    let constraint: FHIRPathConstraint
    private let program: Program
    private let isContentRule: Bool
    private let isAboutOrder: Bool
    /// Whether the rule asks for a narrative, which contained resources should not have (FHIR, Resource, Contained Resources).
    let isAboutNarrative: Bool
    /// What is plain of the rule; nil if it must always be evaluated.
    private let plain: PlainTruth?
    /// Whether an evaluation shows values to a context that asks for them.
    private let showsValues: Bool
    /// The layout that `plain` is about.
    private let layout: Layout?

    /// The rule of all elements, ele-1: it is so common, and so often true, that it is checked without evaluation.
    private static let contentRules: Set<String> = [
        "hasValue() or (children().count() > id.count())", "hasValue() or (children().count() > id.count()) or $this is Parameters",
    ]

    /// Rules of FHIR's definitions whose texts cannot be evaluated where they stand, and what they mean: ele-1 of STU3 unites two truths instead of asking
    /// for one of them, and eld-11 of R5 looks into several codes as if they were one.
    private static let mended = [
        "hasValue() | (children().count() > id.count())": "hasValue() or (children().count() > id.count())",
        eldPart + #" or type.code.contains(":")"# + eldRest: eldPart + #" or type.code.where($this.contains(":")).exists()"# + eldRest,
    ]
    private static let eldPart = "binding.empty() or type.code.empty()"
    private static let eldRest =
        " or type.select((code = 'code') or (code = 'Coding') or (code='CodeableConcept') or (code = 'Quantity') or (code = 'string')"
        + " or (code = 'uri') or (code = 'Duration')).exists()"

    /// - Parameter layout: the layout of the objects that the rule is about, or one that theirs derive from; nil if that is not known.
    package init(_ constraint: FHIRPathConstraint, on layout: Layout?) throws {
        self.constraint = constraint
        self.layout = layout
        let expression = Self.mended[constraint.expression] ?? constraint.expression
        let program = try ProgramCache.program(expression, .definitions)
        self.program = program
        plain = layout.flatMap { PlainTruth(program.syntax, on: $0, program.options) }
        isContentRule = Self.contentRules.contains(expression)
        isAboutOrder = FHIRPathConstraint.isAboutOrder(constraint.expression)
        isAboutNarrative = constraint.key == "dom-6"
        showsValues = constraint.expression.contains("trace(")
    }

    /// Whether an item breaks the rule.
    ///
    /// - Parameter requiresTruth: whether a rule about an order is broken too if nothing orders the values.
    func isBroken(by item: Item, _ context: FHIRPathContext, requiresTruth: Bool) throws -> Bool {
        if case .object(let object) = item {
            if isContentRule { return !Self.hasContent(object) }
            if isPlainlyTrue(of: object, context) { return false }
        }
        let truth = try program.run([item], context) { try $0.truth($1, $2) }
        return truth == false || truth == nil && requiresTruth && isAboutOrder
    }

    /// Whether an item of any type breaks a rule of a profile: of several results none is false, and an order is broken too if nothing orders the values.
    package func isBroken(by item: Item, _ context: FHIRPathContext) throws -> Bool {
        if case .object(let object) = item, isPlainlyTrue(of: object, context) { return false }
        let results = try program.run([item], context) { try $0.evaluate($1, $2) }
        guard let result = results.first else { return isAboutOrder }
        guard results.count == 1, case .boolean(false)? = result.system else { return false }
        return true
    }

    private func isPlainlyTrue(of object: FHIRObject, _ context: FHIRPathContext) -> Bool {
        guard let plain, let layout, !showsValues || context.trace == nil else { return false }
        var current: Layout? = object.layout
        while let type = current {
            if type === layout { return plain.fact(of: object) == .yes }
            current = type.base
        }
        return false
    }

    private static func hasContent(_ object: FHIRObject) -> Bool {
        let run = object.slotRun
        // The id is in the first slot of every class.
        return run.count > 1 || run.first.map { $0.index != 0 } ?? false || object.layout.isKind(of: "Parameters")
    }
}

extension FHIRPathConstraint {
    /// Whether an expression states an order, so that an empty result may mean that nothing orders the values.
    package static func isAboutOrder(_ expression: String) -> Bool {
        (expression.contains("<") || expression.contains(">")) && !expression.contains("resolve(") && !expression.contains("memberOf(")
    }
}

import FireLiteCore

/// The constraints of a release, compiled and sorted by class: made once, and used for every object.
///
/// ```swift
/// let constraints = FHIRPathConstraints(list, release: .r4)
/// for issue in patient.validate(constraints: constraints) { print(issue) }
/// ```
public struct FHIRPathConstraints: Sendable {
    /// A constraint that cannot be evaluated, and why.
    public struct Unusable: Sendable, Hashable {
        /// The constraint.
        public let constraint: FHIRPathConstraint
        /// What is wrong with its expression.
        public let error: FHIRPathError
    }

    /// The constraints whose expressions could not be read.
    public let unusable: [Unusable]
    /// Whether `%resource` names the container of a contained resource, as in STU3, which has no `%rootResource`.
    let resourceIsContainer: Bool
    private let plans: [ObjectIdentifier: ClassPlan]

    /// Compiles constraints. Those of types and elements that the release does not have are left out.
    ///
    /// - Parameters:
    ///   - constraints: the constraints, in any order.
    ///   - release: the release whose classes they are about.
    /// - Complexity: about a millisecond for each release, and some microseconds for each constraint.
    public init(_ constraints: [FHIRPathConstraint], release: FHIRRelease) {
        self.init(constraints, release: release, resourceIsContainer: false)
    }

    init(_ constraints: [FHIRPathConstraint], release: FHIRRelease, resourceIsContainer: Bool) {
        self.resourceIsContainer = resourceIsContainer
        var compiled: [String: [CompiledConstraint]] = [:]
        var unusable: [Unusable] = []
        for constraint in constraints {
            do {
                compiled[constraint.path, default: []].append(
                    try CompiledConstraint(constraint, on: release.layout(named: constraint.path)))
            } catch let error as FHIRPathError {
                unusable.append(Unusable(constraint: constraint, error: error))
            } catch {
                // Compiling throws nothing else, but a rule that is not checked is never kept quiet about.
                unusable.append(Unusable(constraint: constraint, error: FHIRPathError(.semantic, "the rule cannot be compiled", at: 0)))
            }
        }
        self.unusable = unusable
        var plans: [ObjectIdentifier: ClassPlan] = [:]
        for layout in release.layouts { plans[ObjectIdentifier(layout)] = ClassPlan(layout, compiled) }
        self.plans = plans
    }

    /// The rules for the objects of a class.
    func plan(of layout: Layout) -> ClassPlan? { plans[ObjectIdentifier(layout)] }
}

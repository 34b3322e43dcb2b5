import FireLiteCore

extension FHIRObject {
    /// Checks the object and everything in it against constraints, and returns the violations in the order of the elements.
    ///
    /// Add it to `validate()`, which checks cardinalities, codes and formats. A constraint whose result is empty, or that cannot be evaluated
    /// without a terminology for one, raises no issue.
    ///
    /// - Parameters:
    ///   - constraints: the constraints of the object's release.
    ///   - context: a terminology and references for those that need them.
    /// - Returns: issues with the code `constraint`, the key of the constraint and the path of the element.
    public final func validate(constraints: FHIRPathConstraints, context: FHIRPathContext = FHIRPathContext()) -> [FHIRIssue] {
        var validator = ConstraintValidator(constraints, context, self)
        validator.validate(self)
        return validator.issues
    }

    /// Checks the object as `validate(constraints:context:)` does; a constraint about an order is broken too if nothing orders the values. A constraint
    /// states what must be true (FHIR, ElementDefinition, constraint): that a period starts before it ends is not true of a day and a moment within it.
    ///
    /// - Returns: the constraints that are broken, and those that could not be evaluated, each with its severity.
    package final func validate(
        strictly constraints: FHIRPathConstraints, context: FHIRPathContext
    ) -> (broken: [FHIRIssue], undecided: [FHIRIssue]) {
        var validator = ConstraintValidator(constraints, context, self, requiresTruth: true)
        validator.validate(self)
        return (validator.issues, validator.undecided)
    }

    /// The constraints that could not be evaluated on the object, with the reason, which has no values from it.
    package final func undecided(constraints: FHIRPathConstraints) -> [String] {
        var validator = ConstraintValidator(constraints, FHIRPathContext(), self)
        validator.validate(self)
        return validator.undecided.map(\.message)
    }
}

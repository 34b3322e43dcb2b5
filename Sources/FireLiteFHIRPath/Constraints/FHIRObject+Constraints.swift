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

    /// The constraints that could not be evaluated on the object, with the reason, which has no values from it.
    package final func undecided(constraints: FHIRPathConstraints) -> [String] {
        var validator = ConstraintValidator(constraints, FHIRPathContext(), self)
        validator.validate(self)
        return validator.undecided
    }
}

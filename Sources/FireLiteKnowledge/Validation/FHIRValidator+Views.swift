import FireLiteCore
import FireLiteProfiles

extension FHIRValidator {
    /// Validates the resource of a profile's view against the profile: with its constraints and bindings, which `issues` of the view leaves out.
    ///
    /// - Parameter view: a view whose guide is in `knowledge`; a profile that is not there is a warning.
    /// - Returns: the issues; none if there is nothing to say.
    public func issues<View: ResourceProfileView>(in view: View) -> [ValidationIssue] {
        validate(view.object, against: [View.profileURL])
    }

    /// Whether the resource of a profile's view has no error against the profile.
    public func isValid<View: ResourceProfileView>(_ view: View) -> Bool { !issues(in: view).contains { $0.severity == .error } }
}

import FireLiteCore
import FireLiteProfiles

extension FHIRValidator {
    /// Validates the resource of a profile's view against the profile: with its constraints and bindings, which `issues` of the view leaves out.
    ///
    /// - Parameter view: a view whose guide is in `knowledge`; a profile that is not there is a warning.
    /// - Returns: the issues; none if there is nothing to say.
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read.
    public func issues<View: ResourceProfileView>(in view: View) throws -> [ValidationIssue] {
        try validate(view.object, against: [View.profileURL])
    }

    /// Whether the resource of a profile's view has no error against the profile; false if the profile is not known.
    ///
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read.
    public func isValid<View: ResourceProfileView>(_ view: View) throws -> Bool {
        try !issues(in: view).contains { $0.severity == .error || $0.undecided == .profile }
    }
}

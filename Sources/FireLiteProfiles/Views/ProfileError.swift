import FireLiteCore

/// An object does not have what a profile requires, or a path through a profile cannot be used as asked.
public struct ProfileError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An element that the profile requires has no value.
        public static let missing = Code(rawValue: "missing")
        /// A path of which no search parameter can be made.
        public static let notSearchable = Code(rawValue: "notSearchable")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String
    /// The element in the profile, with the names of slices: `Observation.component:systolic`; of a path its FHIRPath.
    public let element: String
    /// The canonical URL of the profile.
    public let profile: String

    init(_ code: Code, _ message: String, element: String, profile: String) {
        (self.code, self.message, self.element, self.profile) = (code, message, element, profile)
    }

    init(missing element: String, profile: String) {
        self.init(
            .missing,
            "\(element) has no value, which \(profile) requires: set it, or use `try?` for objects that may not follow the profile",
            element: element, profile: profile)
    }
}

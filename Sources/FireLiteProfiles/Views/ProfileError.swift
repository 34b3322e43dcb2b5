import FireLiteCore

/// An object does not have what a profile requires.
public struct ProfileError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An element that the profile requires has no value.
        public static let missing = Code(rawValue: "missing")
    }

    /// The kind of failure.
    public let code: Code
    /// What is missing and what to do about it.
    public let message: String
    /// The element in the profile, with the names of slices: `Observation.component:systolic`.
    public let element: String
    /// The canonical URL of the profile.
    public let profile: String

    init(missing element: String, profile: String) {
        code = .missing
        self.element = element
        self.profile = profile
        message = "\(element) has no value, which \(profile) requires: set it, or use `try?` for objects that may not follow the profile"
    }
}

/// Misuse of objects that a caller can tell only at run time.
public struct FHIRObjectError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An object is to be populated from one of another class.
        public static let differentClass = Code(rawValue: "differentClass")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, without values.
    public let message: String

    static func differentClass(of target: String, source: String) -> FHIRObjectError {
        FHIRObjectError(code: .differentClass, message: "a \(target) cannot be populated from a \(source): pass an object of the same class")
    }
}

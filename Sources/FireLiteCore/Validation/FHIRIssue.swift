/// Something in an object that FHIR does not allow, as `validate()` finds it.
///
/// The message holds names of elements, types and value sets, but no value from the data, which is health data.
public struct FHIRIssue: Sendable, Hashable, CustomStringConvertible {
    /// How much it matters.
    public enum Severity: Sendable {
        /// The object is not valid.
        case error
        /// The object may be valid, but cannot be told to be.
        case warning
    }

    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An element has fewer values than it must have.
        public static let missing = Code(rawValue: "missing")
        /// An element has more values than it may have.
        public static let tooMany = Code(rawValue: "tooMany")
        /// A code is not in the value set that it must be from.
        public static let unknownCode = Code(rawValue: "unknownCode")
        /// A primitive is not written as its type demands.
        public static let format = Code(rawValue: "format")
        /// A choice element has values of two types.
        public static let secondChoice = Code(rawValue: "secondChoice")
        /// A reference points to a type of resource that the element does not allow, or to a contained one that is not there.
        public static let reference = Code(rawValue: "reference")
        /// An element has no value and nothing in it.
        public static let empty = Code(rawValue: "empty")
    }

    /// The FHIR path of the element: `Patient.name[0].given[1]`.
    public let path: String
    /// How much it matters.
    public let severity: Severity
    /// The kind of mistake.
    public let code: Code
    /// What FHIR expects, and what is there.
    public let message: String

    /// The path and the message.
    public var description: String { "\(path): \(message)" }
}

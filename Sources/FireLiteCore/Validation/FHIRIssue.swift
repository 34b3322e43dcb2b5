/// A violation of FHIR's definitions, found by `validate()`.
///
/// The message contains names of elements, types and value sets, but no value from the data, which is health data.
public struct FHIRIssue: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The severity of an issue.
    public enum Severity: Sendable {
        /// The object is not valid.
        case error
        /// The object may be valid, but this could not be checked.
        case warning
    }

    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An element has too few values.
        public static let missing = Code(rawValue: "missing")
        /// An element has too many values.
        public static let tooMany = Code(rawValue: "tooMany")
        /// A code is not in its required value set.
        public static let unknownCode = Code(rawValue: "unknownCode")
        /// A primitive is not in the format of its type.
        public static let format = Code(rawValue: "format")
        /// A choice element has values of two types.
        public static let secondChoice = Code(rawValue: "secondChoice")
        /// A reference points to a resource type that the element does not allow, or to a missing contained resource.
        public static let reference = Code(rawValue: "reference")
        /// An element has neither a value nor children.
        public static let empty = Code(rawValue: "empty")
        /// A constraint of FHIR's definitions is not met; `key` names it.
        public static let constraint = Code(rawValue: "constraint")
        /// Rules could not be checked.
        public static let unchecked = Code(rawValue: "unchecked")
    }

    /// The FHIR path of the element: `Patient.name[0].given[1]`.
    public let path: String
    /// The severity.
    public let severity: Severity
    /// The kind of mistake.
    public let code: Code
    /// What FHIR expects, and what was found.
    public let message: String
    /// The key of the constraint that is not met, `pat-1`; nil for other issues.
    public let key: String?

    /// An issue that rules of your own have found.
    ///
    /// - Parameters:
    ///   - path: the FHIR path of the element: `Patient.name[0].given[1]`.
    ///   - severity: the severity.
    ///   - code: the kind of mistake.
    ///   - message: what is expected, and what was found.
    ///   - key: the key of the constraint that is not met. Default: none.
    public init(path: String, severity: Severity, code: Code, message: String, key: String? = nil) {
        self.path = path
        self.severity = severity
        self.code = code
        self.message = message
        self.key = key
    }

    /// The issue itself, as the `id` of `Identifiable`: another validation that finds it again gives it the same one.
    public var id: FHIRIssue { self }

    /// The path and the message.
    public var description: String { "\(path): \(message)" }
}

import FireLite
import FireLiteCore

/// A search that cannot be answered, or a part of one that was ignored: what is wrong and in which parameter.
///
/// Messages contain names of parameters and types, but no value of a search, which may be health data.
public struct SearchError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not a search, or a value does not fit its parameter.
        public static let invalid = Code(rawValue: "invalid")
        /// The release has no such resource type.
        public static let unknownType = Code(rawValue: "unknownType")
        /// The type has no such parameter.
        public static let unknownParameter = Code(rawValue: "unknownParameter")
        /// A part of FHIR search that this library does not support.
        public static let notSupported = Code(rawValue: "notSupported")
        /// The store lacks the ValueSet or CodeSystem that a modifier needs.
        public static let missingTerminology = Code(rawValue: "missingTerminology")
        /// The resource of a compartment or of `$everything` is not in the store.
        public static let notFound = Code(rawValue: "notFound")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong and what to do about it. Of a long word from the request it has the beginning and the end.
    public let message: String
    /// The parameter with its modifier; nil if the mistake is in none.
    public let parameter: String?

    init(_ code: Code, _ message: String, in parameter: String? = nil) {
        self.code = code
        // Names come from requests, and may have any length.
        self.message = message.withShortWords
        self.parameter = parameter
    }

    /// The parameter, shortened if it is long, and the message.
    public var description: String { parameter.map { "\($0.shortened()): \(message)" } ?? message }

    /// The code of FHIR's value set `issue-type`.
    private var issueType: String {
        switch code {
        case .unknownType, .notSupported, .unknownParameter: "not-supported"
        case .missingTerminology, .notFound: "not-found"
        default: "invalid"
        }
    }

    /// The issue as an element of an `OperationOutcome`, in JSON.
    func issueJSON(severity: String) -> String {
        var members = [
            (name: "severity", json: JSONText.string(severity)), (name: "code", json: JSONText.string(issueType)),
            (name: "diagnostics", json: JSONText.string(description)),
        ]
        if let parameter { members.append((name: "expression", json: JSONText.array([JSONText.string("http.\(parameter.shortened())")]))) }
        return JSONText.object(members)
    }

    /// The error as an `OperationOutcome`, in JSON.
    public var operationOutcome: String { Self.operationOutcome([self], severity: "error") }

    static func operationOutcome(_ errors: [SearchError], severity: String) -> String {
        let issues = JSONText.array(errors.map { $0.issueJSON(severity: severity) })
        return JSONText.object([(name: "resourceType", json: "\"OperationOutcome\""), (name: "issue", json: issues)])
    }
}

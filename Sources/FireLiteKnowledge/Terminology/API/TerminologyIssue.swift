import FireLiteCore

/// Something that a terminology operation found about a code: what FHIR servers report in an `OperationOutcome`.
///
/// The text is for people, and names codes, systems and value sets of the request. Programs compare ``code``, ``kind`` and
/// ``messageID``.
public struct TerminologyIssue: Sendable, Hashable {
    /// The severity of an issue (value set IssueSeverity).
    public enum Severity: String, Sendable, Hashable {
        /// A code is not valid, or the operation fails.
        case error
        /// The result stands, and needs a look: a code is inactive, for example.
        case warning
        /// A note that changes nothing about the result.
        case information
    }

    /// The severity.
    public let severity: Severity
    /// FHIR's code of the issue (value set IssueType), such as `code-invalid`.
    public let code: String
    /// The kind of terminology issue (code system tx-issue-type), such as `not-in-vs`; nil if none fits.
    public let kind: String?
    /// The identifier by which terminology servers name the message.
    public let messageID: String
    /// What is wrong, in words.
    public let text: String
    /// The part of the request that it is about, such as `Coding.display`; nil for the request as a whole.
    public let place: String?
    /// Whether it belongs into the summary of a validation.
    let isSummarized: Bool

    init(
        _ severity: Severity, code: String, kind: String?, id: String, at place: String? = nil, isSummarized: Bool? = nil, _ text: String
    ) {
        self.severity = severity
        self.code = code
        self.kind = kind
        messageID = id
        self.place = place.flatMap { $0.isEmpty ? nil : $0 }
        self.text = text
        self.isSummarized = isSummarized ?? (severity == .error)
    }

    private static let kindSystem = "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type"
    private static let messageExtension = "http://hl7.org/fhir/StructureDefinition/operationoutcome-message-id"

    /// The element `OperationOutcome.issue`.
    var json: JSONItem {
        let coding: JSONItem? = kind.map { .array([.object(["system": .string(Self.kindSystem), "code": .string($0)])]) }
        let marks: JSONItem? =
            messageID.isEmpty
            ? nil : .array([.object(["url": .string(Self.messageExtension), "valueString": .string(messageID)])])
        let places = place.map { JSONItem.array([.string($0)]) }
        return .object([
            "extension": marks, "severity": .string(severity.rawValue), "code": .string(code),
            "details": .object(["coding": coding, "text": .string(text)]), "location": places, "expression": places,
        ])
    }

    /// The issues in the order that terminology servers have: errors first, and of one kind what is not in the value set first.
    static func sorted(_ issues: [TerminologyIssue]) -> [TerminologyIssue] {
        issues.enumerated().sorted { first, second in
            let keys = [first, second].map { place, issue in
                (issue.severity.rawValue, issue.code, issue.kind == "not-in-vs" ? 0 : 1, place)
            }
            return keys[0] < keys[1]
        }.map(\.element)
    }

    /// An `OperationOutcome` with these issues.
    static func outcome(_ issues: [TerminologyIssue]) -> JSONItem {
        .object(["resourceType": .string("OperationOutcome"), "issue": .array(issues.map(\.json))])
    }
}

/// Why a terminology operation has no answer.
///
/// ``issues`` are those that FHIR servers would send in an `OperationOutcome`.
public struct TerminologyError: FireLiteError, Hashable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        ///
        /// - Parameter rawValue: the code's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request lacks something, or has an invalid value.
        public static let invalid = Code(rawValue: "invalid")
        /// A code system, value set, concept map, supplement or code is unknown.
        public static let notFound = Code(rawValue: "notFound")
        /// A definition contradicts FHIR's rules: a value set that includes itself, a filter without a value.
        public static let definition = Code(rawValue: "definition")
        /// A version of a code system differs from the one that the request demands.
        public static let version = Code(rawValue: "version")
        /// The answer would be too large.
        public static let tooCostly = Code(rawValue: "tooCostly")
        /// A regular expression, or the operation as a whole, takes longer than allowed.
        public static let limit = Code(rawValue: "limit")
        /// The operation, or a filter, is not supported for this code system.
        public static let notSupported = Code(rawValue: "notSupported")
        /// A code system was imported again while the operation ran: ask again.
        public static let changed = Code(rawValue: "changed")
        /// A resource is not JSON, or not of the kind that it must be.
        public static let unreadable = Code(rawValue: "unreadable")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String
    /// The issues that a server would report.
    public let issues: [TerminologyIssue]

    init(_ code: Code, _ issue: TerminologyIssue) {
        self.code = code
        message = issue.text
        issues = [issue]
    }

    /// The issue as an error; about the request as a whole.
    init(_ code: Code, _ type: String, kind: String? = nil, id: String = "", at place: String? = nil, _ text: String) {
        self.init(code, TerminologyIssue(.error, code: type, kind: kind, id: id, at: place, text))
    }
}

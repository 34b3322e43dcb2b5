import Foundation

/// An error of a FHIR client: what the server answered, or why there is no answer. Its description contains no values of records and
/// no secrets; what the server says is in ``issues``.
public struct FHIRClientError: AdvisedError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The address is not HTTPS, nor on this machine.
        public static let notPrivate = Code(rawValue: "notPrivate")
        /// The server was not reached.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The connection broke, or the server did not answer in time. It may have done what was asked for.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The server's certificate is not trusted.
        public static let notSecure = Code(rawValue: "notSecure")
        /// 401: the server requires a token, or a different one.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// 403: the token does not permit this.
        public static let forbidden = Code(rawValue: "forbidden")
        /// 404: there is no such resource, or no such interaction.
        public static let notFound = Code(rawValue: "notFound")
        /// 410: the resource was deleted.
        public static let gone = Code(rawValue: "gone")
        /// 409: the resource was changed meanwhile, or others refer to it.
        public static let conflict = Code(rawValue: "conflict")
        /// 412: the version is not the expected one, or several resources match a condition.
        public static let preconditionFailed = Code(rawValue: "preconditionFailed")
        /// 400, 405, 415, 422 and others: the server does not accept the request.
        public static let rejected = Code(rawValue: "rejected")
        /// 429: too many requests.
        public static let tooManyRequests = Code(rawValue: "tooManyRequests")
        /// 500 to 599: the server failed, or is not available.
        public static let serverFailed = Code(rawValue: "serverFailed")
        /// The server sends the client to another address, where the request must not go.
        public static let redirected = Code(rawValue: "redirected")
        /// The answer is not what FHIR says.
        public static let invalidResponse = Code(rawValue: "invalidResponse")
        /// A file cannot be read or written.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public var message: String { text.message() }
    package let text: ErrorText
    /// The status of the answer; nil if there is none.
    public let status: Int?
    /// The server's statement about it. The texts may repeat values of records.
    public let issues: [OutcomeIssue]
    /// The body of the answer if it is an OperationOutcome, as JSON. It may repeat values of records.
    public let outcome: Data?
    /// The id of the request in the server's log.
    public let requestID: String?
    /// The time after which the server wants the request to be repeated.
    public let retryAfter: Duration?
    /// Whether the answer is a page for people, as portals and gateways return it, and so says nothing about the request.
    package let isPage: Bool

    package init(
        _ code: Code, _ problem: String, remedy: Remedy? = nil, status: Int? = nil, issues: [OutcomeIssue] = [], outcome: Data? = nil,
        requestID: String? = nil,
        retryAfter: Duration? = nil, isPage: Bool = false
    ) {
        self.code = code
        text = ErrorText(problem, remedy)
        self.status = status
        self.issues = issues
        self.outcome = outcome
        self.requestID = requestID
        self.retryAfter = retryAfter
        self.isPage = isPage
    }

    /// What went wrong, with the codes of the server's issues and the id of the request.
    public var description: String { description(\.text) }

    package func description(_ wording: (Remedy) -> String) -> String {
        var text = self.text.message(wording)
        let codes = issues.map(\.code).filter { $0.utf8.count < 32 && $0.utf8.allSatisfy { 97...122 ~= $0 || $0 == 45 } }
        if !codes.isEmpty { text += " (\(codes.prefix(5).joined(separator: ", ")))" }
        if let requestID { text += "; request \(requestID)" }
        return text
    }
}

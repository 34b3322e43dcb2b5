import Foundation

/// Why there is no access. Its description contains no secrets.
public struct AuthorizationError: AdvisedError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An address is not HTTPS.
        public static let notPrivate = Code(rawValue: "notPrivate")
        /// The authorization server did not answer.
        public static let noAnswer = Code(rawValue: "noAnswer")
        /// The authorization server refused; ``AuthorizationError/reason`` says why.
        public static let refused = Code(rawValue: "refused")
        /// The answer is not what OAuth says.
        public static let invalidResponse = Code(rawValue: "invalidResponse")
        /// The server does not say where its authorization server is.
        public static let noEndpoint = Code(rawValue: "noEndpoint")
        /// The user must sign in, again.
        public static let signInRequired = Code(rawValue: "signInRequired")
        /// The address that the browser came back with does not belong to the session.
        public static let wrongRedirect = Code(rawValue: "wrongRedirect")
        /// A key or certificate cannot be used.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// Credentials cannot be stored or read.
        public static let storage = Code(rawValue: "storage")
        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public var message: String { text.message() }
    package let text: ErrorText
    /// OAuth's word for why the server refused, `invalid_client`.
    public let reason: String?
    /// The status of the answer; nil if there is none.
    public let status: Int?
    /// The server's statement about it.
    public let detail: String?

    init(
        _ code: Code, _ problem: String, remedy: Remedy? = nil, reason: String? = nil, status: Int? = nil, detail: String? = nil
    ) {
        self.code = code
        text = ErrorText(problem, remedy)
        self.reason = reason
        self.status = status
        self.detail = detail
    }

    /// An authorization server's answer that is an error (RFC 6749, section 5.2; RFC 7591, section 3.2.2).
    init(_ what: String, _ response: HTTPResponse) {
        struct Refusal: Decodable {
            let error: String?
            let error_description: String?
        }
        var refusal: Refusal?
        do { refusal = try JSONDecoder().decode(Refusal.self, from: response.body) } catch {}
        let reason = refusal?.error.flatMap(Self.printable)
        self.init(
            .refused, "\(what): \(response.status)" + (reason.map { ", \($0)" } ?? ""), reason: reason, status: response.status,
            detail: refusal?.error_description)
    }

    /// A word of OAuth as it may be shown: anything else could be a secret.
    static func printable(_ reason: String) -> String? {
        1...64 ~= reason.utf8.count && reason.utf8.allSatisfy { 97...122 ~= $0 || $0 == 95 } ? reason : nil
    }
}

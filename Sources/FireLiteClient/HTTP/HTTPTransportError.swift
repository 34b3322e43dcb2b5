/// The reason why a request has no answer. Descriptions contain neither addresses nor content.
public struct HTTPTransportError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The server was not reached, so it has not seen the request.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The connection broke. The server may have executed the request.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The request made no progress in time, or its deadline passed. The server may have executed it.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The server's certificate or its encryption is not acceptable.
        public static let notSecure = Code(rawValue: "notSecure")
        /// The answer is longer than allowed.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The answer is not HTTP.
        public static let invalid = Code(rawValue: "invalid")
        /// The request is invalid and was not sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: what went wrong, without content of the request.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

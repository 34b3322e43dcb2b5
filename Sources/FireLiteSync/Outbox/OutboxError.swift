/// An error of using an outbox. Its description contains no values of records and no secrets.
public struct OutboxError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The outbox has no entry with this number.
        public static let noEntry = Code(rawValue: "noEntry")
        /// A file cannot be read.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

import FireLiteCore

/// A service that cannot be created from its configuration.
public struct ServiceError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A part of the configuration is invalid.
        public static let configuration = Code(rawValue: "configuration")
        /// A key or token is invalid.
        public static let credentials = Code(rawValue: "credentials")
        /// A file of the service cannot be read or written.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

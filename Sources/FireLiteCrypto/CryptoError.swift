import FireLiteCore

/// An error of a key or of a cryptographic operation. Its description contains neither keys nor messages.
public struct CryptoError: FireLiteError, Equatable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key or certificate cannot be read.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// The key's type, size or form does not suit the operation.
        public static let unsuitableKey = Code(rawValue: "unsuitableKey")
        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// A ciphertext was changed, or encrypted with another key.
        public static let cannotDecrypt = Code(rawValue: "cannotDecrypt")
        /// The system's library failed.
        public static let system = Code(rawValue: "system")
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

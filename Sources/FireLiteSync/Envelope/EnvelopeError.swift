import FireLiteCrypto

/// An error of sealing or opening an envelope. Its description contains neither keys nor content.
public struct EnvelopeError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key or certificate cannot be used.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// The request cannot be sealed.
        public static let cannotSeal = Code(rawValue: "cannotSeal")
        /// The envelope was changed, is for another key, or is not an envelope.
        public static let cannotOpen = Code(rawValue: "cannotOpen")
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

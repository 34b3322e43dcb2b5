/// An error of identities, signatures or permissions. Its description contains no record values and no keys.
public struct TrustError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// A text is not a signature, a token or a key in the standard's form.
        public static let malformed = Code(rawValue: "malformed")
        /// A signature names an algorithm that is not accepted, such as `none`, or an unknown critical feature.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A key cannot be read, made, stored or used.
        public static let key = Code(rawValue: "key")
        /// The store knows no identity or key of this name.
        public static let unknown = Code(rawValue: "unknown")
        /// The key was not valid when the signature was made.
        public static let keyNotValid = Code(rawValue: "keyNotValid")
        /// The signature does not match the content and the key.
        public static let invalidSignature = Code(rawValue: "invalidSignature")
        /// A token has another issuer than expected.
        public static let wrongIssuer = Code(rawValue: "wrongIssuer")
        /// A token has another recipient.
        public static let wrongAudience = Code(rawValue: "wrongAudience")
        /// A token has expired.
        public static let expired = Code(rawValue: "expired")
        /// A token is not valid yet.
        public static let notYetValid = Code(rawValue: "notYetValid")
        /// A token was used before.
        public static let replayed = Code(rawValue: "replayed")
        /// The release has no suitable Consent or Provenance.
        public static let release = Code(rawValue: "release")
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

/// An error of an audit trail. Its description contains no record values and no secrets.
public struct AuditError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The trail in the file is damaged: verify it.
        public static let damaged = Code(rawValue: "damaged")
        /// The trail does not have the row, head or value, or no longer has it.
        public static let notFound = Code(rawValue: "notFound")
        /// A head or a proof is wrong.
        public static let invalidProof = Code(rawValue: "invalidProof")
        /// A head's signature cannot be verified.
        public static let invalidSignature = Code(rawValue: "invalidSignature")
        /// The store's release of FHIR has no such resource.
        public static let unsupportedRelease = Code(rawValue: "unsupportedRelease")
        /// A file cannot be read or written.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

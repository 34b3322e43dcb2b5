import FireLite

/// An error about the payload of an attachment. Its description contains no record values.
public struct AttachmentError: AdvisedError, Hashable {
    /// The kind of failure. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The text of the code.
        public let rawValue: String
        /// The code with this text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The payload is larger than the policy allows.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The policy does not allow the type shown by the payload's first bytes, or they do not match the stated type.
        public static let wrongType = Code(rawValue: "wrongType")
        /// The stored bytes do not match their hash.
        public static let wrongHash = Code(rawValue: "wrongHash")
        /// The payload is sealed with a common key that the keyring does not have, or no keyring is set.
        public static let missingKey = Code(rawValue: "missingKey")
        /// The payload is not in the store, or a part of it is missing.
        public static let missing = Code(rawValue: "missing")
        /// The resource type has no element for an attachment, or the resource has no such attachment.
        public static let noPlace = Code(rawValue: "noPlace")
        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public var message: String { text.message() }
    package let text: ErrorText

    init(_ code: Code, _ problem: String, remedy: Remedy? = nil) {
        self.code = code
        text = ErrorText(problem, remedy)
    }
}

extension AttachmentError: ResourceFault {
    package var concernsOneResource: Bool { true }
}

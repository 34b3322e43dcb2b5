import FireLite

/// An error of a ``Synchronizer``. What servers answer is thrown as `FHIRClientError`.
public struct SyncError: AdvisedError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// Another synchronizer, perhaps of another process, is synchronizing the store with the server.
        public static let busy = Code(rawValue: "busy")
        /// The server's CapabilityStatement lists no type that can be searched.
        public static let notSearchable = Code(rawValue: "notSearchable")
        /// Both sides have changed the same elements, so that a merge needs a decision.
        public static let conflict = Code(rawValue: "conflict")
        /// The server's CapabilityStatement does not offer what is asked for.
        public static let notOffered = Code(rawValue: "notOffered")
        /// The server ignores parameters of a search, so its answer does not match it.
        public static let ignoredParameters = Code(rawValue: "ignoredParameters")
        /// The resource has changes that were not sent.
        public static let notSent = Code(rawValue: "notSent")
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

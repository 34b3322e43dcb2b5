import FireLite

/// An error of records and app data. Descriptions contain no record values and no secrets.
public struct RecordError: AdvisedError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An annotation is empty, or consists of white space.
        public static let emptyAnnotation = Code(rawValue: "emptyAnnotation")
        /// The record to update has no id.
        public static let missingID = Code(rawValue: "missingID")
        /// There is no record with this id.
        public static let notFound = Code(rawValue: "notFound")
        /// The record to create already exists.
        public static let alreadyExists = Code(rawValue: "alreadyExists")
        /// A sealed resource was changed by a call outside `records`.
        public static let sealed = Code(rawValue: "sealed")
        /// The keyring does not have the common key that a record's key is wrapped with, or no keyring is set.
        public static let missingKey = Code(rawValue: "missingKey")
        /// A sealed record was changed, swapped with another or rolled back, or its key is wrong.
        public static let cannotOpen = Code(rawValue: "cannotOpen")
        /// An element, an argument or a keyring cannot be used.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The wire form of a record has a version of its model that this library does not know.
        public static let unsupportedModelVersion = Code(rawValue: "unsupportedModelVersion")
        /// The system's cryptography failed: it has no random numbers, or cannot make or use a key.
        public static let system = Code(rawValue: "system")
        /// App data, or a record in its wire form, cannot be read.
        public static let invalidContent = Code(rawValue: "invalidContent")
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

extension RecordError {
    static func notFound(_ what: String) -> RecordError { RecordError(.notFound, "there is no such \(what)") }
}

extension RecordError: ResourceFault {
    /// Whether the system's cryptography works.
    package var concernsOneResource: Bool { code != .system }
}

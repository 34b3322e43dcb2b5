import Foundation

/// An import or export cannot read or write a file. Descriptions contain no values of records.
public struct TransferError: FireLiteError, Equatable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The system cannot open, read or write a file.
        public static let system = Code(rawValue: "system")
        /// Compressed content is damaged or truncated.
        public static let damaged = Code(rawValue: "damaged")
        /// A folder has no file with resources.
        public static let noResources = Code(rawValue: "noResources")
        /// A file is compressed, and the system has no zlib to unpack it.
        public static let missingZlib = Code(rawValue: "missingZlib")
        /// A file is XML, and the system has no libxml2 to read it.
        public static let missingXMLReader = Code(rawValue: "missingXMLReader")
        /// A line is so long that it is not read to its end.
        public static let endlessLine = Code(rawValue: "endlessLine")
        /// An option is invalid.
        public static let invalidOption = Code(rawValue: "invalidOption")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong, where, and what to do about it.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The last system call failed, on `subject`.
    package static func system(_ subject: String, code: Int32 = errno) -> TransferError {
        TransferError(.system, "\(subject): \(String(cString: strerror(code)))")
    }
}

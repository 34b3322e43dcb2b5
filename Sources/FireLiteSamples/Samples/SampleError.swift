/// An error of reading, mapping, storing or sending samples. Its description contains no values of samples and no secrets.
public struct SampleError: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// A mapping is invalid: see line and path.
        public static let invalidMapping = Code(rawValue: "invalidMapping")
        /// A file or message is damaged: see line.
        public static let damaged = Code(rawValue: "damaged")
        /// A file cannot be read or written.
        public static let file = Code(rawValue: "file")
        /// The mapping has no entry for the type.
        public static let notMapped = Code(rawValue: "notMapped")
        /// A unit cannot be converted into the mapping's.
        public static let unit = Code(rawValue: "unit")
        /// A required value is missing.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The receiver refused the samples.
        public static let refused = Code(rawValue: "refused")
        /// The receiver cannot be reached.
        public static let unreachable = Code(rawValue: "unreachable")
        /// A delegate has stopped the run.
        public static let stopped = Code(rawValue: "stopped")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String
    /// The line of the file, from 1; nil if there is none.
    public let line: Int?
    /// The place inside a mapping, `HeartRate.code[0].system`; nil if there is none.
    public let path: String?

    package init(_ code: Code, _ message: String, line: Int? = nil, path: String? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.path = path
    }

    /// The message with the place.
    public var description: String {
        let place = [line.map { "line \($0)" }, path].compactMap { $0 }.joined(separator: ", ")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

/// A mistake in a file of layouts: its line and what is wrong there.
public struct FHIRReleaseError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not a file of layouts, or one of a later version of the format.
        public static let format = Code(rawValue: "format")
        /// A line has another form than its keyword requires.
        public static let malformed = Code(rawValue: "malformed")
        /// A name is defined twice, or a name is used that is not defined.
        public static let name = Code(rawValue: "name")
        /// A type has more elements than an object can hold.
        public static let tooManyElements = Code(rawValue: "tooManyElements")
    }

    /// The kind of mistake.
    public let code: Code
    /// The line, from 1.
    public let line: Int
    /// What is wrong, with names of the definitions.
    public let message: String

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    /// The line and the message.
    public var description: String { "line \(line): \(message)" }
}

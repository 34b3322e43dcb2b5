import FireLiteCore

/// A mistake in a FHIRPath expression, or one that its evaluation met: what is wrong and where in the text.
///
/// Messages contain parts of the expression and names of the model, but no value from a record, which is health data.
public struct FHIRPathError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not FHIRPath.
        public static let syntax = Code(rawValue: "syntax")
        /// The expression does not fit the model: an unknown element, type, function or variable, or an operand of the wrong type.
        public static let semantic = Code(rawValue: "semantic")
        /// A rule of FHIRPath was broken during evaluation: several values where one is allowed, or values of the wrong type.
        public static let execution = Code(rawValue: "execution")
        /// The text is too long or too deep, or the evaluation took more steps than allowed.
        public static let limit = Code(rawValue: "limit")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong, without values from records.
    public let message: String
    /// Where it is in the expression: an offset in bytes of UTF-8, from 0.
    public let position: Int
    /// The line of the position, from 1.
    public let line: Int
    /// The column of the position in characters, from 1.
    public let column: Int

    init(_ code: Code, _ message: String, at position: Int, line: Int = 1, column: Int? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.line = line
        self.column = column ?? position + 1
    }

    /// The same error with line and column, which only the text shows.
    func located(in text: String) -> FHIRPathError {
        let before = String(decoding: text.utf8.prefix(position), as: UTF8.self)
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        return FHIRPathError(code, message, at: position, line: max(lines.count, 1), column: (lines.last?.count ?? 0) + 1)
    }

    /// The place, the kind and the message.
    public var description: String { "line \(line), column \(column): \(message)" }
}

/// What went wrong in the Generator's input: definitions, digest, templates or arguments.
///
/// Its description is one line, `file:line:column: message`, with as much of the position as there is.
public struct GeneratorError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and, where it helps, what would be right.
    public var message: String
    /// Where it is; `nil` when it is in no file.
    public var location: SourceLocation?

    public init(_ message: String, at location: SourceLocation? = nil) {
        self.message = message
        self.location = location
    }

    public var description: String {
        let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let location else { return text }
        return "\(location): \(text)"
    }
}

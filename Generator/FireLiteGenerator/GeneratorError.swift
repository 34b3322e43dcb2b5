import Foundation

/// An error in the Generator's input: definitions, digest, templates or arguments.
///
/// Its description is one line, `file:line:column: message`, with as much of the position as there is.
public struct GeneratorError: LocalizedError, Equatable, CustomStringConvertible {
    /// What is wrong and, where it helps, what would be right.
    public var message: String
    /// Where it is; `nil` when it is in no file.
    public var location: SourceLocation?

    /// An error, with the place of what is wrong if it is in a file.
    public init(_ message: String, at location: SourceLocation? = nil) {
        self.message = message
        self.location = location
    }

    /// The description.
    public var errorDescription: String? { description }

    /// The place and the message on one line.
    public var description: String {
        let text = message.split(whereSeparator: \.isNewline).joined(separator: " ").unicodeScalars.map(Self.shown).joined()
        guard let location else { return text }
        return "\(location): \(text)"
    }

    /// A scalar of a message, which may quote the input: one that would control a terminal as its number.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: "\\u{" + String(scalar.value, radix: 16) + "}"
        default: String(scalar)
        }
    }
}

extension GeneratorError {
    /// - Parameter reason: What Foundation threw; the system's own reason in it ends the message.
    init(_ message: String, because reason: any Error, at location: SourceLocation) {
        self.init("\(message): \(SystemReason.text(of: reason))", at: location)
    }
}

import Foundation

/// A text of an import that cannot be stored, with its place and the reason. It contains no values from the text.
public struct ImportFault: LocalizedError, Equatable, Sendable, CustomStringConvertible {
    /// The path of the file; `stream` for a sequence of bytes.
    public let file: String
    /// The line of the mistake, from 1.
    public let line: Int
    /// The column of the mistake in bytes, from 1; nil if the whole text is at fault.
    public let column: Int?
    /// The reason, without values from the text.
    public internal(set) var reason: String
    /// The type and id of the resource, or only its type; nil if neither is known or asked for.
    package var resource: String?

    package init(file: String, line: Int, column: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// The place and the reason.
    public var description: String { "\(file): line \(line), \(resource.map { "\($0), " } ?? "")\(reason)" }
    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// A fault and the text that was rejected: a line, an entry of a Bundle or a whole document.
package struct RejectedText: Error, CustomStringConvertible {
    package var fault: ImportFault
    package let text: String

    package init(fault: ImportFault, text: String) {
        self.fault = fault
        self.text = text
    }

    package var description: String { fault.description }
}

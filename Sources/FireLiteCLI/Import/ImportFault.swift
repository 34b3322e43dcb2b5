import FireLite
import Foundation

/// A text of an import that cannot be stored, and the reason: one line of a rejects file.
struct ImportFault: LocalizedError, Encodable, Equatable, CustomStringConvertible {
    /// The file as it was named on the command line.
    let file: String
    /// The line of the mistake, from 1.
    let line: Int
    /// The reason, without values from the text.
    let reason: String
    /// The text that was rejected: a line, an entry of a Bundle or a whole document.
    let text: String
    /// The type and id of the resource, or only its type; nil if neither is known or asked for.
    var resource: String?

    var description: String { "\(file): line \(line), \(resource.map { "\($0), " } ?? "")\(reason)" }
    var errorDescription: String? { description }
}

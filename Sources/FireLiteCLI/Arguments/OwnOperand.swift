import FireLiteCore
import Foundation

/// What the first operand of a command looks like, so that a database in front of it is recognized.
enum OwnOperand {
    /// The command has no operands of its own.
    case none
    /// A word such as a resource type: it has letters only. A database has a period or a slash in its name, as `./Patient`.
    case word
    /// `Type/id` of a resource type, or of a word that is near to one.
    case resource
    /// A search: `Patient?name=peter`, `?_type=Patient`, `Patient/1/Observation`.
    case search
    /// A statement of SQL: it has a space or a parenthesis in it, and there is no such file.
    case statement

    /// Whether a first operand is the command's own and no database.
    func includes(_ operand: String) -> Bool {
        switch self {
        case .none: false
        case .word: Self.isWord(operand)
        case .resource: Self.isResource(operand)
        case .search: Self.isSearch(operand)
        case .statement: operand.contains { $0.isWhitespace || $0 == "(" } && !FileManager.default.fileExists(atPath: operand)
        }
    }

    private static func isWord(_ text: some StringProtocol) -> Bool { text.allSatisfy(\.isLetter) }

    private static func isResource(_ text: String) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return isWord(text) }
        return isTypeOrNear(text[..<slash])
    }

    private static func isSearch(_ text: String) -> Bool {
        let end = text.firstIndex { $0 == "?" || $0 == "/" }
        guard let end else { return isWord(text) }
        return text[end] == "?" ? isWord(text[..<end]) : isTypeOrNear(text[..<end])
    }

    /// A misspelled type gets an error that names the right one.
    private static func isTypeOrNear(_ name: some StringProtocol) -> Bool {
        isWord(name) && NearWords.nearest(to: String(name), among: FireLiteTool.resourceTypes) != nil
    }
}

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
    /// A path, as that of a database: a database is in front of it if there is one operand more than the command has.
    case path

    /// Whether the first operand is the command's own and no database.
    ///
    /// - Parameters:
    ///   - operands: all operands.
    ///   - count: how many the command has itself.
    func includesFirst(of operands: [String], count: ClosedRange<Int>) -> Bool {
        if case .path = self { return operands.count <= count.upperBound }
        return operands.first.map(includes) ?? true
    }

    /// Whether a first operand has the form of the command's own.
    func includes(_ operand: String) -> Bool {
        switch self {
        case .none: false
        case .path: true
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

/// A resource of a definitions package with the file it came from.
struct DefinitionResource: Sendable {
    let file: SourceFile
    let node: JSONNode

    /// Its `resourceType`; empty when it has none.
    var type: String { node["resourceType"]?.string ?? "" }

    func location(of part: JSONNode) -> SourceLocation { file.location(of: part.offset) }

    /// A string member that must be there.
    ///
    /// - Throws: `GeneratorError` at the object that lacks it.
    func text(_ member: String, of part: JSONNode, _ what: String) throws -> String {
        guard let text = part[member]?.string, !text.isEmpty else {
            throw GeneratorError("\(what) without `\(member)`", at: location(of: part))
        }
        return text
    }

    /// A member that must be there and be one word, such as a URL.
    ///
    /// - Throws: `GeneratorError` at the object that lacks it or at the text.
    func word(_ member: String, of part: JSONNode, _ what: String) throws -> String {
        let text = try text(member, of: part, what)
        guard Identifier.isWord(text) else {
            throw GeneratorError("`\(member)` is not a single word", at: location(of: part[member] ?? part))
        }
        return text
    }

    /// The words of a list member.
    ///
    /// - Throws: `GeneratorError` at an item that is none.
    func words(_ member: String, of part: JSONNode) throws -> [String] {
        try part.list(member).map { item in
            guard let text = item.string, Identifier.isWord(text), !text.contains(",") else {
                throw GeneratorError("`\(member)` is not a list of words", at: location(of: item))
            }
            return text
        }
    }

    /// A text on one line: definitions have line feeds in names and expressions where they do not matter.
    static func oneLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}

/// Parses a template.
///
/// Tags are `{{key}}`, `{{#key}}`…`{{/key}}` (condition or loop), `{{^key}}`…`{{/key}}` (unless), `{{> partial}}` and
/// `{{! comment}}`. A line with nothing on it but one of the last four is left out. Line ends of Windows are read as those of Unix.
struct TemplateParser {
    /// The maximum depth of nested sections.
    private static let deepestSection = 50

    private let file: String
    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    private struct Tag {
        enum Kind { case variable, open, inverted, close, partial, comment }
        var kind: Kind
        var key: String
        var location: SourceLocation
        /// Spaces before a tag that has its line to itself; `nil` when it has not.
        var indentation: String?
    }

    private struct OpenSection {
        var tag: Tag
        var nodes: [TemplateNode] = []
    }

    /// - Parameter file: The template's name in messages.
    /// - Throws: `GeneratorError` at the tag that is wrong.
    static func parse(_ source: SourceFile) throws -> [TemplateNode] {
        var parser = TemplateParser(file: source.name, text: source.unifiedLines)
        return try parser.parse()
    }

    private init(file: String, text: [UInt8]) {
        self.file = file
        self.text = text
    }

    private mutating func parse() throws -> [TemplateNode] {
        var root: [TemplateNode] = []
        var open: [OpenSection] = []
        func add(_ node: TemplateNode) {
            if open.isEmpty { root.append(node) } else { open[open.count - 1].nodes.append(node) }
        }
        while true {
            let textStart = position
            let hasTag = advanceToTag()
            let textEnd = position
            guard hasTag else {
                add(.text(try string(textStart..<textEnd)))
                break
            }
            let tag = try readTag()
            add(.text(try string(textStart..<(textEnd - (tag.indentation?.utf8.count ?? 0)))))
            switch tag.kind {
            case .variable: add(.variable(key: tag.key, tag.location))
            case .partial: add(.partial(name: tag.key, indentation: tag.indentation ?? "", tag.location))
            case .comment: break
            case .open, .inverted:
                guard open.count < Self.deepestSection else {
                    throw GeneratorError("sections nested more than \(Self.deepestSection) deep", at: tag.location)
                }
                open.append(OpenSection(tag: tag))
            case .close:
                guard let section = open.popLast() else {
                    throw GeneratorError("`{{/\(tag.key)}}` closes nothing", at: tag.location)
                }
                guard section.tag.key == tag.key else {
                    throw GeneratorError(
                        "`{{/\(tag.key)}}` where `{{/\(section.tag.key)}}` was expected for line \(section.tag.location.line)",
                        at: tag.location)
                }
                add(
                    .section(
                        key: tag.key, isInverted: section.tag.kind == .inverted, section.nodes, section.tag.location))
            }
        }
        if let section = open.last {
            throw GeneratorError("`\(section.tag.key)` is opened and not closed", at: section.tag.location)
        }
        return root
    }

    // MARK: - Tags

    /// Moves to the next `{{`.
    private mutating func advanceToTag() -> Bool {
        while position < text.count {
            if text[position...].starts(with: "{{".utf8) { return true }
            step()
        }
        return false
    }

    private mutating func step() {
        if text[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private mutating func readTag() throws -> Tag {
        let start = position
        let location = SourceLocation(file: file, line: line, column: start - lineStart + 1)
        let before = text[lineStart..<start]
        position += 2
        let contentStart = position
        while position < text.count, !text[position...].starts(with: "}}".utf8) {
            if text[position] == UInt8(ascii: "\n") { throw GeneratorError("tag without `}}` on its line", at: location) }
            position += 1
        }
        guard position < text.count else { throw GeneratorError("tag without `}}`", at: location) }
        var tag = try tag(try string(contentStart..<position), location)
        position += 2
        if tag.kind != .variable, before.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }),
            position == text.count || text[position] == UInt8(ascii: "\n")
        {
            tag.indentation = String(decoding: before, as: UTF8.self)
            if position < text.count { step() }
        }
        return tag
    }

    private func tag(_ content: String, _ location: SourceLocation) throws -> Tag {
        let kinds: [Character: Tag.Kind] = ["#": .open, "^": .inverted, "/": .close, ">": .partial, "!": .comment]
        let kind = content.first.flatMap { kinds[$0] } ?? .variable
        let rest = kind == .variable ? content[...] : content.dropFirst()
        if kind == .comment { return Tag(kind: kind, key: "", location: location) }
        let key = rest.split(separator: " ", omittingEmptySubsequences: true)
        guard key.count == 1, key[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }) else {
            throw GeneratorError("`{{\(content)}}` is not a tag", at: location)
        }
        return Tag(kind: kind, key: String(key[0]), location: location)
    }

    private func string(_ range: Range<Int>) throws -> String {
        guard let string = String(bytes: text[range], encoding: .utf8) else {
            throw GeneratorError("not UTF-8 text", at: SourceLocation(file: file))
        }
        return string
    }
}

import FireLiteCore
import Foundation

/// The search parameters, compartments and summaries of one release of FHIR, from the text that the Generator writes.
///
/// `@unchecked Sendable`: `lock` guards `known`.
final class SearchDefinitions: @unchecked Sendable {
    /// What the text has.
    struct Content {
        /// Parameters by the type that they apply to, and by their code.
        var parameters: [String: [String: SearchDefinition]] = [:]
        var byURL: [String: SearchDefinition] = [:]
        /// The names of the elements in the summary, by the path of their class.
        var summaries: [String: Set<String>] = [:]
    }

    /// The release's short name, `R4`.
    let name: String
    private let text: String
    private let lock = NSLock()
    private var known: Content?

    init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    static let all = [dstu2, stu3, r4, r4b, r5]

    /// The definitions of a release by its name; nil for one that this library does not know.
    static func of(_ release: FHIRRelease) -> SearchDefinitions? { all.first { $0.name == release.name } }

    /// The content, which is read when it is first needed.
    var content: Content {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known }
        let content = Self.read(text)
        known = content
        return content
    }

    // MARK: - Reading

    /// The beginning of most URLs, which the text abbreviates.
    private static let prefix = "http://hl7.org/fhir/SearchParameter/"

    private static func url(_ text: Substring) -> String {
        text.utf8.first == UInt8(ascii: "~") ? prefix + Substring(text.utf8.dropFirst()) : String(text)
    }

    /// The parts between separators. By bytes, as thousands of lines are read before the first search.
    private static func parts(of text: Substring, _ separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
    }

    private static func read(_ text: String) -> Content {
        var content = Content()
        var lines: [Substring] = []
        func finish() {
            if let definition = parameter(lines) {
                content.byURL[definition.url] = definition
                for base in definition.bases where content.parameters[base]?[definition.code]?.expression == nil {
                    content.parameters[base, default: [:]][definition.code] = definition
                }
            }
            lines.removeAll(keepingCapacity: true)
        }
        for line in parts(of: text[...], "\n") {
            if line.utf8.first == UInt8(ascii: "s"), line.hasPrefix("summary ") {
                finish()
                let words = parts(of: line, " ")
                content.summaries[String(words[1])] = Set(words.dropFirst(2).map(String.init))
            } else {
                if line.utf8.first != UInt8(ascii: " ") { finish() }
                lines.append(line)
            }
        }
        finish()
        return content
    }

    /// `url code kind base,base` and indented lines: `e EXPRESSION`, `t TYPE,TYPE`, `c URL EXPRESSION`.
    private static func parameter(_ lines: [Substring]) -> SearchDefinition? {
        guard let words = lines.first.map({ parts(of: $0, " ") }), words.count == 4,
            let kind = SearchDefinition.Kind(rawValue: String(words[2]))
        else { return nil }
        var expression: String?
        var targets: [String] = []
        var components: [SearchDefinition.Component] = []
        for line in lines.dropFirst() {
            let rest = Substring(line.utf8.dropFirst(3))
            switch line.utf8.dropFirst().first {
            case UInt8(ascii: "e"): expression = String(rest)
            case UInt8(ascii: "t"): targets = parts(of: rest, ",").map(String.init)
            case UInt8(ascii: "c"):
                guard let blank = rest.utf8.firstIndex(of: UInt8(ascii: " ")) else { continue }
                components.append(
                    SearchDefinition.Component(
                        definition: url(rest[..<blank]), expression: String(rest[rest.utf8.index(after: blank)...])))
            default: continue
            }
        }
        return SearchDefinition(
            url: url(words[0]), code: String(words[1]), kind: kind, bases: parts(of: words[3], ",").map(String.init),
            expression: expression, targets: targets, components: components)
    }

    // MARK: - Looking up

    /// The parameter of a type with a code, its own or one of a type that it derives from.
    func parameter(_ code: String, on layout: Layout) -> SearchDefinition? {
        let parameters = content.parameters
        for name in Self.lineage(layout) { if let found = parameters[name]?[code] { return found } }
        return nil
    }

    /// All parameters of a type, in the order of their codes.
    func parameters(of layout: Layout) -> [SearchDefinition] {
        let parameters = content.parameters
        var found: [String: SearchDefinition] = [:]
        for name in Self.lineage(layout) { found.merge(parameters[name] ?? [:]) { own, _ in own } }
        return found.values.sorted { $0.code < $1.code }
    }

    /// The names of a type and of those it derives from, its own first.
    static func lineage(_ layout: Layout) -> [String] {
        var names: [String] = []
        var current: Layout? = layout
        while let known = current {
            names.append(known.name)
            current = known.base
        }
        // Layouts have no class `Resource` above those that derive from it in every release.
        if !names.contains("Resource") { names.append("Resource") }
        return names
    }
}

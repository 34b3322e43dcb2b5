import FireLiteXML
import Foundation

/// Reads a classification in ClaML (ISO 13120, Classification Markup Language; versions 2 and 3): its title, classes and modifiers.
final class ClaMLReader: XMLScannerDelegate {
    /// A text about a class: its name, what it includes, a note.
    struct Rubric {
        let kind: String
        let language: String?
        let text: String
    }

    /// A class, or the class of a modifier.
    struct Item {
        let code: String
        /// `chapter`, `block` or `category`; of the class of a modifier the modifier.
        let kind: String
        let usage: String?
        let line: Int
        var parents: [String] = []
        var hasChildren = false
        var modifiers: [Use] = []
        var excluded: Set<String> = []
        var rubrics: [Rubric] = []
        var properties: [(name: String, value: String)] = []

        /// The name: the long form if there is one.
        var name: Rubric? { rubrics.first { $0.kind == "preferredLong" } ?? rubrics.first { $0.kind == "preferred" } }
    }

    /// That a modifier adds digits to a code.
    struct Use {
        let modifier: String
        /// The classes of the modifier that are valid here; nil for all.
        var valid: Set<String>?
    }

    private(set) var title: (name: String, version: String?, date: String?)?
    private(set) var classes: [Item] = []
    /// The classes of modifiers, by modifier.
    private(set) var modifierClasses: [String: [Item]] = [:]

    private let path: String
    private var scanner: XMLScanner?
    private var problem: KnowledgeError?
    private var open: [String] = []
    private var item: Item?
    private var rubricKind = ""
    private var label: (language: String?, text: String)?
    /// Elements are not nested more than this.
    private static let deepest = 64
    /// The languages of the open elements.
    private var languages: [String?] = []
    private var language: String? { languages.isEmpty ? nil : languages[languages.count - 1] }

    private init(_ path: String) { self.path = path }

    /// Reads a file.
    ///
    /// - Throws: `KnowledgeError` with the file and the line of what is wrong; with code `file` without the system's parser.
    static func read(_ path: String, _ data: Data) throws -> ClaMLReader {
        let reader = ClaMLReader(path)
        let scanner: XMLScanner
        do {
            scanner = try XMLScanner(reader)
        } catch {
            throw KnowledgeError(.file, "\(path): \(error.message)")
        }
        reader.scanner = scanner
        defer { reader.scanner = nil }
        do {
            try data.withUnsafeBytes { bytes in
                try ClaMLText.forEachPiece(bytes) { piece in
                    scanner.feed(piece)
                    if let problem = reader.problem { throw problem }
                }
            }
        } catch let unfinished as ClaMLText.Unfinished {
            throw KnowledgeError(.content, "\(path), line \(unfinished.line): \(unfinished.what) does not end: the file may be cut off")
        }
        scanner.finish()
        if let problem = reader.problem { throw problem }
        guard reader.open.isEmpty, !reader.classes.isEmpty else {
            throw KnowledgeError(.content, "\(path) has no class: it is no classification in ClaML, or cut off")
        }
        return reader
    }

    private var line: Int { scanner?.line ?? 1 }

    private func fail(_ text: String) {
        if problem == nil { problem = KnowledgeError(.content, "\(path), line \(line): \(text)") }
        scanner?.stop()
    }

    // MARK: - XMLScannerDelegate

    func begin(_ tag: XMLTag) {
        let name = tag.text
        guard !open.isEmpty || name == "ClaML" else { return fail("the document is not in ClaML, but a \(name)") }
        guard open.count < Self.deepest else { return fail("elements are nested more than \(Self.deepest) levels deep") }
        let attributes = Attributes(tag)
        open.append(name)
        languages.append(attributes["lang"] ?? language)
        switch name {
        case "Title": title = (attributes["name"] ?? "", attributes["version"], attributes["date"])
        case "Class", "ModifierClass":
            guard let code = attributes["code"], !code.isEmpty else { return fail("a \(name) has no code") }
            let kind = attributes[name == "Class" ? "kind" : "modifier"] ?? ""
            item = Item(code: code, kind: kind, usage: attributes["usage"], line: line)
        case "Rubric": rubricKind = attributes["kind"] ?? ""
        case "Label": label = (language, "")
        case ClaMLText.element: label?.text += attributes["v"] ?? ""
        case "Fragment", "Para", "Term", "ListItem", "Cell": label?.text += " "
        default: beginInside(name, attributes)
        }
    }

    private func beginInside(_ name: String, _ attributes: Attributes) {
        guard item != nil, let code = attributes["code"] ?? (name == "Meta" ? "" : nil) else { return }
        switch name {
        case "SuperClass": item?.parents.append(code)
        case "SubClass": item?.hasChildren = true
        case "ModifiedBy": item?.modifiers.append(Use(modifier: code, valid: attributes["all"] == "false" ? [] : nil))
        case "ValidModifierClass":
            // Where all are valid, the list says nothing.
            if let last = item?.modifiers.indices.last { item?.modifiers[last].valid?.insert(code) }
        case "ExcludeModifier": item?.excluded.insert(code)
        case "Meta":
            if let name = attributes["name"], let value = attributes["value"] { item?.properties.append((name, value)) }
        default: break
        }
    }

    func end() {
        languages.removeLast()
        let name = open.removeLast()
        switch name {
        case "Label":
            let text = (label?.text ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if item != nil, !text.isEmpty { item?.rubrics.append(Rubric(kind: rubricKind, language: label?.language, text: text)) }
            label = nil
        case "Class":
            if let item { classes.append(item) }
            item = nil
        case "ModifierClass":
            if let item { modifierClasses[item.kind, default: []].append(item) }
            item = nil
        default: break
        }
    }

    func fault(_ code: Int) { fail(XMLScanner.words(ofFault: code, "XML in UTF-8")) }

    /// The attributes of a tag by their names without prefixes.
    private struct Attributes {
        private var values: [String: String] = [:]

        init(_ tag: XMLTag) {
            for index in 0..<tag.attributeCount {
                guard let attribute = tag.attribute(index) else { continue }
                values[String(cString: attribute.name)] = String(decoding: attribute.value, as: UTF8.self)
            }
        }

        subscript(_ name: String) -> String? { values[name] }
    }
}

import FireLiteCore
import Foundation

/// FHIR's own code systems and value sets, those behind required bindings, which every terminology of a release knows.
///
/// Definitions that are added, such as a core package with all of them, count more.
struct CoreCodes: Sendable {
    /// The lines of each definition, by its kind and URL.
    private let definitions: [String: ArraySlice<Substring>]

    /// - Returns: nil for a release without them.
    init?(_ release: FHIRRelease) {
        switch release.name {
        case "R4": self = Self.readR4
        case "R4B": self = Self.readR4B
        case "R5": self = Self.readR5
        default: return nil
        }
    }

    private static let readR4 = CoreCodes(r4)
    private static let readR4B = CoreCodes(r4b)
    private static let readR5 = CoreCodes(r5)

    private init(_ text: String) {
        let lines = text.split(separator: "\n")[...]
        var definitions: [String: ArraySlice<Substring>] = [:]
        var start = lines.startIndex
        func isHeader(_ line: Substring) -> Bool { line.hasPrefix("S\t") || line.hasPrefix("V\t") }
        while start < lines.endIndex {
            let end = lines[(start + 1)...].firstIndex(where: isHeader) ?? lines.endIndex
            let fields = lines[start].split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            definitions["\(fields[0]) \(fields[1])"] = lines[start..<end]
            start = end
        }
        self.definitions = definitions
    }

    /// The definition with a URL, as a resource; nil if there is none.
    func definition(ofType type: String, url: String) -> JSONItem? {
        switch type {
        case "CodeSystem": definitions["S \(url)"].map(Self.codeSystem)
        case "ValueSet": definitions["V \(url)"].map(Self.valueSet)
        default: nil
        }
    }

    // MARK: - Reading

    private static func fields(_ line: Substring) -> [String] {
        line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }

    private static func text(_ fields: [String], _ place: Int) -> JSONItem? {
        place < fields.count && !fields[place].isEmpty ? .string(fields[place]) : nil
    }

    private static func header(_ type: String, _ line: Substring) -> [JSONItem.Member] {
        let fields = fields(line)
        let flags = fields.count > 6 ? fields[6] : ""
        let values: [(String, JSONItem?)] = [
            ("resourceType", .string(type)), ("url", text(fields, 1)), ("version", text(fields, 2)), ("name", text(fields, 3)),
            ("title", text(fields, 4)), ("status", text(fields, 5)), ("experimental", .bool(flags.contains("e"))),
            ("caseSensitive", type == "CodeSystem" ? .bool(!flags.contains("i")) : nil),
            ("content", type == "CodeSystem" ? .string("complete") : nil),
            ("language", type == "CodeSystem" ? .string("en") : nil),
        ]
        return values.compactMap { name, value in value.map { .init(name: name, value: $0) } }
    }

    private static func codeSystem(_ lines: ArraySlice<Substring>) -> JSONItem {
        var place = lines.startIndex + 1
        func concepts(_ depth: Int) -> [JSONItem] {
            var items: [JSONItem] = []
            while place < lines.endIndex, lines[place].prefix(while: { $0 == " " }).count == depth {
                let fields = fields(lines[place].dropFirst(depth))
                place += 1
                let children = concepts(depth + 1)
                let flags = fields.count > 2 ? fields[2] : ""
                var properties: [JSONItem] = []
                if flags.contains("a") { properties.append(Concept.Property("notSelectable", "valueBoolean", .bool(true)).json) }
                if flags.contains("d") { properties.append(Concept.Property("status", "valueCode", .string("deprecated")).json) }
                items.append(
                    .object([
                        "code": .string(fields[0]), "display": text(fields, 1), "property": properties.isEmpty ? nil : .array(properties),
                        "concept": children.isEmpty ? nil : .array(children),
                    ]))
            }
            return items
        }
        let all = concepts(1)
        return .object(header("CodeSystem", lines[lines.startIndex]) + [.init(name: "concept", value: .array(all))])
    }

    private static func valueSet(_ lines: ArraySlice<Substring>) -> JSONItem {
        var parts: [(name: String, fields: [String], imports: [JSONItem], filters: [JSONItem])] = []
        for line in lines.dropFirst() {
            let fields = fields(line)
            switch fields[0] {
            case "i": parts.append(("include", fields, [], []))
            case "e": parts.append(("exclude", fields, [], []))
            case "v" where !parts.isEmpty: parts[parts.count - 1].imports.append(.string(fields[1]))
            case "f" where !parts.isEmpty:
                let filter = JSONItem.object(["property": text(fields, 1), "op": text(fields, 2), "value": text(fields, 3)])
                parts[parts.count - 1].filters.append(filter)
            default: break
            }
        }
        func list(_ name: String) -> JSONItem? {
            let items = parts.filter { $0.name == name }.map { part in
                let codes = (part.fields.count > 3 ? part.fields[3] : "").split(separator: " ")
                    .map { JSONItem.object(["code": .string(String($0))]) }
                return JSONItem.object([
                    "system": text(part.fields, 1), "version": text(part.fields, 2), "concept": codes.isEmpty ? nil : .array(codes),
                    "filter": part.filters.isEmpty ? nil : .array(part.filters),
                    "valueSet": part.imports.isEmpty ? nil : .array(part.imports),
                ])
            }
            return items.isEmpty ? nil : .array(items)
        }
        let compose = JSONItem.object(["include": list("include"), "exclude": list("exclude")])
        return .object(header("ValueSet", lines[lines.startIndex]) + [.init(name: "compose", value: compose)])
    }
}

import Foundation

/// Reads ICD-10 and classifications like it in ClaML, the XML in which their owners ship them.
///
/// A class that a modifier applies to, and that has no classes below it, gets the codes that the modifier adds: `E10` with `.0` is `E10.0`. A modifier counts for
/// the classes below the one that names it, unless they exclude it (ISO 13120, Modifier).
struct ClaMLImport {
    private let path: String
    private let data: Data

    /// The classifications by the beginning of their names, with the URLs that FHIR has for them.
    private static let systems: [(name: String, url: String, title: String)] = [
        ("ICD-10-GM", "http://fhir.de/CodeSystem/bfarm/icd-10-gm", "ICD-10-GM"),
        ("OPS", "http://fhir.de/CodeSystem/bfarm/ops", "OPS"),
        ("ICD-O-3", "http://terminology.hl7.org/CodeSystem/icd-o-3", "ICD-O-3"),
        ("ICD-10", "http://hl7.org/fhir/sid/icd-10", "ICD-10"),
    ]

    /// Names of national editions that begin like another one and are not it.
    private static let others = ["ICD-10-CM", "ICD-10-PCS", "ICD-10-AM", "ICD-10-CA", "ICD-10-BR"]

    /// More codes than this are a mistake: ICD-10-GM has 17,000, OPS 40,000.
    private static let maximumCodes = 1_000_000
    /// Classes are not nested more than this, and no more modifiers apply to one.
    private static let deepest = 32

    /// - Returns: nil if the path is no file in ClaML, and no folder with one.
    /// - Throws: `KnowledgeError` for a folder with several.
    init?(_ paths: [String]) throws {
        guard paths.count == 1, let first = paths.first else { return nil }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: first, isDirectory: &isFolder) else { return nil }
        var candidates = [first]
        if isFolder.boolValue {
            guard let walk = FileManager.default.enumerator(atPath: first) else { return nil }
            candidates = walk.compactMap { $0 as? String }.map { first + "/" + $0 }
        }
        let found = candidates.filter { $0.lowercased().hasSuffix(".xml") && Self.isClaML($0) }.sorted()
        guard let path = found.first else { return nil }
        guard found.count == 1 else {
            throw KnowledgeError(.missing, "\(first) has \(found.count) files in ClaML: give the path of one")
        }
        self.path = path
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw KnowledgeError(.file, "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Whether the beginning of a file has the root element.
    private static func isClaML(_ path: String) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? handle.close() }
        let beginning = (try? handle.read(upToCount: 1 << 16)) ?? Data()
        return beginning.range(of: Data("<ClaML".utf8)) != nil
    }

    func run(_ tables: CodeTables, _ report: (String) throws -> Void) throws -> CodeTables.System {
        try report("reading \(path)")
        let reader = try ClaMLReader.read(path, data)
        let (url, title) = try system(reader)
        var list = CodeList()
        for item in reader.classes { try add(item, to: &list) }
        for item in reader.classes {
            for parent in item.parents {
                guard list.contains(parent) else { throw error(item, "its SuperClass \(parent) is no class of the file") }
                list.connect(item.code, to: parent)
            }
        }
        var expansion = Expansion(reader, path)
        for item in reader.classes where !item.hasChildren && !expansion.parents.contains(item.code) {
            try expansion.expand(item, in: &list)
        }
        return try list.write(
            tables, kind: "claml", url: url, version: version(reader), name: title, source: path, report)
    }

    private func error(_ item: ClaMLReader.Item, _ problem: String) -> KnowledgeError {
        KnowledgeError(.content, "\(path), line \(item.line): the class \(item.code): \(problem)")
    }

    // MARK: - The classification

    private func system(_ reader: ClaMLReader) throws -> (url: String, title: String) {
        let name = (reader.title?.name ?? "").uppercased()
        let isOther = Self.others.contains { name.hasPrefix($0) }
        guard !isOther, let found = Self.systems.first(where: { name.hasPrefix($0.name) }) else {
            let known = Self.systems.map(\.title).joined(separator: ", ")
            throw KnowledgeError(
                .missing, "\(path) is of the classification '\(reader.title?.name ?? "")', whose URL is not known: known are \(known)")
        }
        return (found.url, found.title)
    }

    /// The year: of the version, of the end of the name, or of the date; or else the version as it is.
    private func version(_ reader: ClaMLReader) -> String {
        func year(_ text: some StringProtocol) -> String? { text.count == 4 && text.allSatisfy(\.isNumber) ? String(text) : nil }
        let version = reader.title?.version ?? ""
        return year(version) ?? year((reader.title?.name ?? "").suffix(4)) ?? (version.isEmpty ? nil : version)
            ?? reader.title?.date.map { String($0.prefix(4)) } ?? ""
    }

    // MARK: - Classes

    private func add(_ item: ClaMLReader.Item, to list: inout CodeList) throws {
        guard let name = item.name else { throw error(item, "it has no name (a Rubric of the kind preferred)") }
        guard !list.contains(item.code) else { throw error(item, "another class has the code") }
        list.add(item.code, display: name.text, flags: item.kind == "chapter" || item.kind == "block" ? [.active, .abstract] : .active)
        list.addValue(item.code, "kind", item.kind)
        if let usage = item.usage { list.addValue(item.code, "usage", usage) }
        for property in item.properties { list.addValue(item.code, property.name, property.value) }
        Self.add(item.rubrics, of: item.code, to: &list)
    }

    /// Names and inclusions are searched; definitions, notes and exclusions are not.
    fileprivate static func add(_ rubrics: [ClaMLReader.Rubric], of code: String, to list: inout CodeList) {
        for rubric in rubrics {
            switch rubric.kind {
            case "preferred", "preferredLong", "inclusion", "index":
                list.addName(code, kind: rubric.kind, language: rubric.language, rubric.text)
            case "definition": list.addName(code, kind: "D", language: rubric.language, rubric.text)
            default: list.addValue(code, rubric.kind, rubric.text)
            }
        }
    }

    /// Adds the codes that modifiers make.
    private struct Expansion {
        private let reader: ClaMLReader
        private let path: String
        private let classes: [String: ClaMLReader.Item]
        /// The codes that others are below.
        let parents: Set<String>
        private var count = 0

        init(_ reader: ClaMLReader, _ path: String) {
            (self.reader, self.path) = (reader, path)
            classes = Dictionary(reader.classes.map { ($0.code, $0) }) { first, _ in first }
            parents = Set(reader.classes.flatMap(\.parents))
        }

        /// The modifiers that apply to a class: its own, and those of the classes above that nothing between excludes; those with a point first.
        private func uses(of item: ClaMLReader.Item) -> [ClaMLReader.Use] {
            var found: [ClaMLReader.Use] = []
            var excluded: Set<String> = []
            var next: ClaMLReader.Item? = item
            var depth = 0
            while let current = next, depth < ClaMLImport.deepest {
                excluded.formUnion(current.excluded)
                for use in current.modifiers
                where !excluded.contains(use.modifier) && !found.contains(where: { $0.modifier == use.modifier }) {
                    found.append(use)
                }
                next = current.parents.first.flatMap { classes[$0] }
                depth += 1
            }
            func rank(_ use: ClaMLReader.Use) -> Int {
                reader.modifierClasses[use.modifier]?.first?.code.hasPrefix(".") ?? false ? 0 : 1
            }
            return found.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
        }

        mutating func expand(_ item: ClaMLReader.Item, in list: inout CodeList) throws {
            let uses = uses(of: item)
            guard !uses.isEmpty, let name = item.name else { return }
            try expand(item.code, name, uses[...], in: &list)
        }

        private mutating func expand(
            _ code: String, _ name: ClaMLReader.Rubric, _ uses: ArraySlice<ClaMLReader.Use>, in list: inout CodeList
        ) throws {
            guard let use = uses.first else { return }
            guard let all = reader.modifierClasses[use.modifier] else {
                throw KnowledgeError(.content, "\(path): the class \(code) names the modifier \(use.modifier), which has no ModifierClass")
            }
            for one in all where use.valid?.contains(one.code) ?? true {
                guard let addition = one.name else {
                    throw KnowledgeError(
                        .content, "\(path), line \(one.line): the ModifierClass \(one.code) of \(use.modifier) has no name")
                }
                count += 1
                guard count <= ClaMLImport.maximumCodes else {
                    throw KnowledgeError(
                        .limit, "\(path): its modifiers make more than \(ClaMLImport.maximumCodes) codes: no classification is that large")
                }
                let longer = ClaMLReader.Rubric(kind: name.kind, language: name.language, text: "\(name.text): \(addition.text)")
                let made = code + one.code
                if !list.contains(made) {
                    list.add(made, display: longer.text)
                    list.addValue(made, "kind", "category")
                    list.addName(made, kind: longer.kind, language: longer.language, longer.text)
                    ClaMLImport.add(one.rubrics.filter { !$0.kind.hasPrefix("preferred") }, of: made, to: &list)
                }
                list.connect(made, to: code)
                try expand(made, longer, uses.dropFirst(), in: &list)
            }
        }
    }
}

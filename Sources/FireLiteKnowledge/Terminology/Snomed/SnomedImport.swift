import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Reads a release of SNOMED CT in the form RF2, and writes it into the tables of code systems.
///
/// Rows of several files with one identifier are one thing: the latest counts, so that an extension can be read with the edition that it extends.
final class SnomedImport {
    private struct ConceptRow {
        let id: Int64
        let date: Int64
        let module: Int64
        let isActive: Bool
        let isDefined: Bool
    }

    private struct DescriptionRow {
        let id: Int64
        let date: Int64
        let concept: Int32
        let type: Int64
        let language: Int
        let module: Int64
        let isActive: Bool
        let start: Int
        let length: Int
    }

    private struct RelationshipRow {
        let date: Int64
        let source: Int32
        let target: Int32
        let type: Int32
        let group: Int64
        let isActive: Bool
    }

    private let files: SnomedFiles
    private let report: (String) throws -> Void
    private var concepts: [ConceptRow] = []
    private var conceptPlaces: [Int64: Int32] = [:]
    private var descriptions: [DescriptionRow] = []
    private var descriptionPlaces: [Int64: Int32] = [:]
    private var relationships: [RelationshipRow] = []
    private var languages: [String] = []
    private var terms: [UInt8] = []
    /// For each description, the dialects in which it is preferred or acceptable.
    private var dialects: [(description: Int32, refset: Int64, isPreferred: Bool)] = []

    /// - Parameters:
    ///   - folders: where the release is unpacked; several for an extension and its edition.
    ///   - report: called with what is done, now and then.
    /// - Throws: `KnowledgeError`.
    init(_ folders: [String], _ report: @escaping (String) throws -> Void) throws {
        files = try SnomedFiles(folders)
        self.report = report
    }

    /// Reads and writes everything, in one transaction.
    ///
    /// - Throws: `KnowledgeError` with the file and line of what is wrong; errors of the reporting closure. The file then is as before.
    func run(_ tables: CodeTables) throws -> CodeTables.System {
        try readConcepts()
        try readDescriptions()
        try readLanguages()
        try readRelationships()
        let edges = try edges()
        let hierarchy = try hierarchy(edges)
        try report("writing \(concepts.count) concepts")
        return try tables.transaction { connection in
            let version = version
            for old in try tables.systems() where old.url == SnomedCode.url && old.version == version {
                try CodeTableWriter.remove(old, connection)
            }
            let writer = try CodeTableWriter(connection)
            try writeConcepts(writer, hierarchy)
            try writeDescriptions(writer, hierarchy)
            try report("writing the hierarchy")
            try writer.addHierarchy(hierarchy, edges: edges)
            try writeRelationships(writer, hierarchy)
            try writeValues(writer, hierarchy)
            try writeMembers(writer, hierarchy)
            try report("indexing words")
            return try writer.finish(kind: "snomed", url: SnomedCode.url, version: version, name: "SNOMED CT")
        }
    }

    // MARK: - Reading

    private func readConcepts() throws {
        for path in files.concepts {
            try report("reading \(path)")
            let file = try DelimitedFile(path, .tabs)
            let columns = try ["id", "effectiveTime", "active", "moduleId", "definitionStatusId"].map(file.column)
            var rows = SnapshotRows(file, first: concepts.count, isFull: files.isFull)
            try file.visit { row in
                let fresh = ConceptRow(
                    id: try row.number(columns[0]), date: try row.number(columns[1]), module: try row.number(columns[3]),
                    isActive: try row.flag(columns[2]), isDefined: try row.number(columns[4]) == SnomedCode.defined)
                let known = conceptPlaces[fresh.id].map { Int($0) }
                try rows.note(
                    known ?? concepts.count, fresh.id, row.line, hasDateOfOther: known.map { concepts[$0].date == fresh.date } ?? false)
                if let known {
                    if concepts[known].date <= fresh.date { concepts[known] = fresh }
                } else {
                    conceptPlaces[fresh.id] = Int32(concepts.count)
                    concepts.append(fresh)
                }
            }
        }
    }

    private func place(_ id: Int64, _ file: DelimitedFile, _ line: Int) throws -> Int32 {
        guard let place = conceptPlaces[id] else {
            throw file.error(line, "the concept \(id) is in no file of concepts: give the edition that this release extends, too")
        }
        return place
    }

    private func readDescriptions() throws {
        for path in files.descriptions {
            try report("reading \(path)")
            let file = try DelimitedFile(path, .tabs)
            let columns = try ["id", "effectiveTime", "active", "conceptId", "languageCode", "typeId", "term", "moduleId"].map(file.column)
            var rows = SnapshotRows(file, first: descriptions.count, isFull: files.isFull)
            try file.visit { row in
                let language = row.text(columns[4])
                if languages.last != language, !languages.contains(language) { languages.append(language) }
                let term = row.fields[columns[6]]
                let fresh = DescriptionRow(
                    id: try row.number(columns[0]), date: try row.number(columns[1]),
                    concept: try place(row.number(columns[3]), file, row.line), type: try row.number(columns[5]),
                    language: languages.firstIndex(of: language) ?? 0, module: try row.number(columns[7]),
                    isActive: try row.flag(columns[2]),
                    start: terms.count, length: term.count)
                let known = descriptionPlaces[fresh.id].map { Int($0) }
                try rows.note(
                    known ?? descriptions.count, fresh.id, row.line,
                    hasDateOfOther: known.map { descriptions[$0].date == fresh.date } ?? false)
                terms.append(contentsOf: term)
                if let known {
                    if descriptions[known].date <= fresh.date { descriptions[known] = fresh }
                } else {
                    descriptionPlaces[fresh.id] = Int32(descriptions.count)
                    descriptions.append(fresh)
                }
            }
        }
    }

    private func readLanguages() throws {
        try MemberRows.visit(files.languages, isFull: files.isFull) { file in
            try report("reading \(file.path)")
            let columns = try ["active", "refsetId", "referencedComponentId", "acceptabilityId"].map(file.column)
            return { row in
                guard try row.flag(columns[0]) else { return }
                // Members about descriptions of editions that are not given mean nothing here.
                guard let place = self.descriptionPlaces[try row.number(columns[2])] else { return }
                self.dialects.append((place, try row.number(columns[1]), try row.number(columns[3]) == SnomedCode.preferred))
            }
        }
    }

    private func readRelationships() throws {
        var places: [Int64: Int32] = [:]
        for path in files.relationships {
            try report("reading \(path)")
            let file = try DelimitedFile(path, .tabs)
            let columns = try [
                "id", "effectiveTime", "active", "sourceId", "destinationId", "relationshipGroup", "typeId", "characteristicTypeId",
            ].map(file.column)
            var rows = SnapshotRows(file, first: relationships.count, isFull: files.isFull)
            try file.visit { row in
                guard try row.number(columns[7]) == SnomedCode.inferred else { return }
                let id = try row.number(columns[0])
                let fresh = RelationshipRow(
                    date: try row.number(columns[1]), source: try place(row.number(columns[3]), file, row.line),
                    target: try place(row.number(columns[4]), file, row.line), type: try place(row.number(columns[6]), file, row.line),
                    group: try row.number(columns[5]), isActive: try row.flag(columns[2]))
                let known = places[id].map { Int($0) }
                try rows.note(
                    known ?? relationships.count, id, row.line, hasDateOfOther: known.map { relationships[$0].date == fresh.date } ?? false)
                if let known {
                    if relationships[known].date <= fresh.date { relationships[known] = fresh }
                } else {
                    places[id] = Int32(relationships.count)
                    relationships.append(fresh)
                }
            }
        }
    }

    // MARK: - Hierarchy

    private func edges() throws -> [(child: Int32, parent: Int32)] {
        guard let isA = conceptPlaces[SnomedCode.isA] else {
            throw KnowledgeError(
                .content, "\(files.concepts[0]): the concept \(SnomedCode.isA) (is a) is not there, so there is no hierarchy")
        }
        return relationships.filter { $0.isActive && $0.type == isA }.map { ($0.source, $0.target) }
    }

    private func hierarchy(_ edges: [(child: Int32, parent: Int32)]) throws -> CodeHierarchy {
        do { return try CodeHierarchy(count: concepts.count, edges: edges) } catch let cycle as CodeHierarchy.Cycle {
            throw KnowledgeError(
                .content, "\(files.relationships[0]): the concept \(concepts[cycle.concept].id) is above itself: the release is damaged")
        }
    }

    /// The version as FHIR has it: the edition's module and the date.
    private var version: String {
        var counts: [Int64: Int] = [:]
        for concept in concepts
        where concept.isActive && concept.module != SnomedCode.coreModule && concept.module != SnomedCode.modelModule {
            counts[concept.module, default: 0] += 1
        }
        let module = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? SnomedCode.coreModule
        return "\(SnomedCode.url)/\(module)/version/\(files.date)"
    }

    // MARK: - Writing

    private func writeConcepts(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        let displays = displays()
        for place in hierarchy.order {
            let concept = concepts[Int(place)]
            var flags: CodeFlags = concept.isActive ? .active : []
            if concept.isDefined { flags.insert(.defined) }
            let shown = displays[Int(place)]
            try writer.addConcept(
                code: "\(concept.id)", display: shown < 0 ? nil : term(descriptions[Int(shown)]), flags: flags, module: "\(concept.module)",
                date: "\(concept.date)")
        }
    }

    private func term(_ row: DescriptionRow) -> String { String(decoding: terms[row.start..<row.start + row.length], as: UTF8.self) }

    /// For each concept, the description to show: the preferred synonym of US English, or else of UK English, or of any dialect.
    private func displays() -> [Int32] {
        var ranks = [Int8](repeating: 0, count: descriptions.count)
        for dialect in dialects where dialect.isPreferred {
            let rank: Int8 = dialect.refset == SnomedCode.usEnglish ? 5 : dialect.refset == SnomedCode.ukEnglish ? 4 : 3
            ranks[Int(dialect.description)] = max(ranks[Int(dialect.description)], rank)
        }
        var best = [Int8](repeating: 0, count: concepts.count)
        var found = [Int32](repeating: -1, count: concepts.count)
        for (place, row) in descriptions.enumerated() where row.isActive {
            let rank: Int8
            switch row.type {
            case SnomedCode.synonym: rank = max(2, ranks[place])
            case SnomedCode.fullName: rank = 1
            default: continue
            }
            let concept = Int(row.concept)
            if rank > best[concept] { (best[concept], found[concept]) = (rank, Int32(place)) }
        }
        return found
    }

    /// Names are numbered by length, those of inactive concepts last: searches find the shortest first.
    private func writeDescriptions(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        try report("writing \(descriptions.count) descriptions")
        let order = descriptions.indices.sorted { left, right in
            func rank(_ row: DescriptionRow) -> (Int, Int) { (concepts[Int(row.concept)].isActive ? 0 : 1, row.length) }
            let (first, second) = (rank(descriptions[left]), rank(descriptions[right]))
            return first == second ? left < right : first < second
        }
        var numbers = [Int64](repeating: 0, count: descriptions.count)
        try terms.withUnsafeBytes { bytes in
            for place in order {
                let row = descriptions[place]
                let kind = row.type == SnomedCode.fullName ? "F" : row.type == SnomedCode.textDefinition ? "D" : "S"
                numbers[place] = try writer.addName(
                    of: number(row.concept, writer, hierarchy), kind: kind, language: languages[row.language], code: "\(row.id)",
                    isActive: row.isActive, module: row.module, date: row.date,
                    UnsafeRawBufferPointer(rebasing: bytes[row.start..<row.start + row.length]))
            }
        }
        for dialect in dialects.map({ (numbers[Int($0.description)], $0.refset, $0.isPreferred) }).sorted(by: {
            ($0.0, $0.1) < ($1.0, $1.1)
        }) {
            try writer.addDialect(name: dialect.0, refset: dialect.1, isPreferred: dialect.2)
        }
    }

    private func number(_ place: Int32, _ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) -> Int64 {
        writer.firstConcept + Int64(hierarchy.places[Int(place)])
    }

    private func writeRelationships(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        let isA = conceptPlaces[SnomedCode.isA]
        let rows = relationships.filter { $0.isActive && $0.type != isA }.map {
            (number($0.source, writer, hierarchy), $0.group, number($0.type, writer, hierarchy), number($0.target, writer, hierarchy))
        }
        for row in rows.sorted(by: <) { try writer.addRelation(source: row.0, group: row.1, type: row.2, target: row.3) }
    }

    private func writeValues(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        try MemberRows.visit(files.values, isFull: files.isFull) { file in
            try report("reading \(file.path)")
            let columns = try ["active", "sourceId", "value", "relationshipGroup", "typeId"].map(file.column)
            return { row in
                guard try row.flag(columns[0]) else { return }
                let source = try self.place(row.number(columns[1]), file, row.line)
                let text = row.text(columns[2])
                let isNumber = text.hasPrefix("#")
                guard isNumber ? Double(text.dropFirst()) != nil : text.hasPrefix("\"") && text.hasSuffix("\"") && text.count > 1 else {
                    throw file.error(row.line, "a concrete value is neither a number (#5) nor a text in quotation marks")
                }
                try writer.addValue(
                    of: self.number(source, writer, hierarchy), group: try row.number(columns[3]),
                    property: "\(try row.number(columns[4]))",
                    isNumber ? String(text.dropFirst()) : String(text.dropFirst().dropLast()), isNumeric: isNumber)
            }
        }
    }

    private func writeMembers(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        try MemberRows.visit(files.refsets, isFull: files.isFull) { file in
            try report("reading \(file.path)")
            let common = ["id", "effectiveTime", "active", "moduleId", "refsetId", "referencedComponentId"]
            let columns = try common.dropFirst().map(file.column)
            let fields = file.columns.enumerated().filter { !common.contains($0.element) }
            let target = ["targetComponentId", "mapTarget"].lazy.compactMap { file.columns.firstIndex(of: $0) }.first
            return { row in
                let component = try row.number(columns[4])
                let isActive = try row.flag(columns[1])
                // Members about descriptions are no codes.
                guard SnomedCode.isConcept(component) else { return }
                // What is no member any more may be about what the release has no more.
                if !isActive, try self.conceptPlaces[component] == nil || self.conceptPlaces[row.number(columns[3])] == nil { return }
                let refset = self.number(try self.place(row.number(columns[3]), file, row.line), writer, hierarchy)
                let concept = self.number(try self.place(component, file, row.line), writer, hierarchy)
                if isActive { try writer.addMember(refset: refset, concept: concept, target: target.map(row.text) ?? "") }
                let texts = fields.map { JSONItem.Member(name: $0.element, value: .string(row.text($0.offset))) }
                try writer.addMemberRow(
                    refset: refset, concept: concept, isActive: isActive, module: try row.number(columns[2]),
                    date: try row.number(columns[0]),
                    fields: texts.isEmpty ? nil : JSONItem.object(texts).json)
            }
        }
    }
}

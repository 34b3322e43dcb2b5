import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// The rows of reference sets: filters on them, and the values of their fields.
extension ECLEvaluator {
    private struct MemberRow {
        let refset: Int64
        let concept: Int64
        let isActive: Bool
        let module: Int64
        let date: Int64
        /// The fields of the reference set by name, each a text.
        let fields: JSONItem?
    }

    /// The members of reference sets whose rows meet filters.
    func members(_ refsets: ECLExpression, _ filters: [ECLMemberFilter]) throws -> CodeSet {
        var found: Set<Int64> = []
        try forEachMember(of: refsets, filters, using: []) { found.insert($0.concept) }
        return CodeSet(found)
    }

    /// The concepts that a field has in rows that meet filters.
    ///
    /// - Throws: ``TerminologyError`` for a field whose values are no concepts.
    func values(of field: String, _ refsets: ECLExpression, _ filters: [ECLMemberFilter]) throws -> CodeSet {
        var found: Set<Int64> = []
        try forEachMember(of: refsets, filters, using: [field]) { row in
            guard let value = try text(field, of: row), !value.isEmpty else { return }
            guard value.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw TerminologyError(
                    .invalid, "invalid", kind: "vs-invalid", id: "INVALID_ECL",
                    "the field '\(field)' has values that are no concepts: choose another field")
            }
            // Concepts of other editions mean nothing here.
            if let number = try number(value) { found.insert(number) }
        }
        return CodeSet(found)
    }

    /// Calls `body` with the rows that meet filters. Rows are active unless a filter says otherwise.
    ///
    /// - Parameter fields: the fields that are wanted besides those of the filters.
    /// - Throws: ``TerminologyError`` for a field that no row has, or a release that was imported without its rows.
    private func forEachMember(
        of refsets: ECLExpression, _ filters: [ECLMemberFilter], using fields: [String], _ body: (MemberRow) throws -> Void
    ) throws {
        let saysActive = filters.contains { if case .active = $0 { true } else { false } }
        var missing = Set((filters.compactMap(\.field) + fields).map { $0.lowercased() }).subtracting(Self.ownFields)
        let wantsFields = !missing.isEmpty
        var known: Set<String> = []
        var count = 0
        try requireMemberRows()
        let all =
            try refsets == .any
            ? numbers("SELECT DISTINCT refset FROM code_member_row WHERE refset BETWEEN ?1 AND ?2", system) : evaluate(refsets).numbers
        for refset in all {
            let statement = try connection.prepare("SELECT concept, flags, module, date, fields FROM code_member_row WHERE refset = ?")
            statement.bind(1, refset)
            while try statement.step() {
                count += 1
                if count % 256 == 0 { try checkTime() }
                let texts = wantsFields ? try statement.text(4).map { try readFields($0, of: refset) } : nil
                for member in texts?.members ?? [] where known.insert(member.name).inserted { missing.remove(member.name.lowercased()) }
                let row = MemberRow(
                    refset: refset, concept: statement.int(0), isActive: CodeFlags(rawValue: statement.int(1)).contains(.active),
                    module: statement.int(2), date: statement.int(3), fields: texts)
                guard saysActive || row.isActive, try filters.allSatisfy({ try meets(row, $0) }) else { continue }
                try body(row)
            }
        }
        guard count == 0 || missing.isEmpty else {
            let names = known.sorted().joined(separator: ", ")
            throw TerminologyError(
                .invalid, "invalid", kind: "vs-invalid", id: "INVALID_ECL",
                "the reference sets have no field '\(missing.sorted()[0])', they have "
                    + (known.isEmpty ? "none of their own" : names) + ": choose one of those")
        }
    }

    /// The fields of a row.
    ///
    /// - Throws: `KnowledgeError` with code `file` if they are damaged: without them a filter would leave the member out.
    private func readFields(_ text: String, of refset: Int64) throws -> JSONItem {
        guard let fields = try? JSONItemReader.read(Data(text.utf8)), fields.isObject else {
            let code = try self.text("SELECT code FROM code_concept WHERE _k = ?", refset) ?? "?"
            throw ReadingFailures.noted(
                KnowledgeError(.file, "a row of the reference set \(code) is damaged: import the release again"))
        }
        return fields
    }

    /// What every row has, besides module, date and status.
    private static let ownFields: Set<String> = ["referencedcomponentid", "refsetid"]

    /// - Throws: ``TerminologyError`` if the release was imported before rows of reference sets were.
    private func requireMemberRows() throws {
        let hasTable = try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'code_member_row'") == 1
        let (first, last) = (system.concepts.lowerBound, system.concepts.upperBound)
        func isFilled(_ table: String) throws -> Bool {
            try !numbers("SELECT 1 FROM \(table) WHERE refset BETWEEN ?1 AND ?2 LIMIT 1", first, last).isEmpty
        }
        guard hasTable, try isFilled("code_member_row") || !isFilled("code_member") else { throw notImported("rows of reference sets") }
    }

    /// Whether names have modules and dates.
    func namesHaveOrigins() throws -> Bool {
        if let namesHaveOriginsKnown { return namesHaveOriginsKnown }
        let has = try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'code_name' AND instr(sql, 'module') > 0") == 1
        namesHaveOriginsKnown = has
        return has
    }

    private func text(_ field: String, of row: MemberRow) throws -> String? {
        let name = field.lowercased()
        switch name {
        case "referencedcomponentid": return try text("SELECT code FROM code_concept WHERE _k = ?", row.concept)
        case "refsetid": return try text("SELECT code FROM code_concept WHERE _k = ?", row.refset)
        default: return row.fields?.members.first { $0.name.lowercased() == name }?.value.text
        }
    }

    private func meets(_ row: MemberRow, _ filter: ECLMemberFilter) throws -> Bool {
        switch filter {
        case .active(let isActive): return row.isActive == isActive
        case .module(let expression, let isEqual): return try isMetadata("\(row.module)", of: expression) == isEqual
        case .date(let comparison, let dates): return Self.holds("\(row.date)", comparison, dates)
        case .ordered(let field, let comparison, let texts):
            // A row without the field meets nothing.
            return try text(field, of: row).map { Self.holds($0, comparison, texts) } ?? false
        case .field(let field, let value):
            guard let text = try text(field, of: row) else { return false }
            switch value {
            case .texts(let terms, let isEqual): return terms.contains { ECLText.matches(text, $0) } == isEqual
            case .number(let comparison, let number): return Double(text).map { comparison.holds($0, number) } ?? false
            case .truth(let truth, let isEqual): return (text == "1" || text.lowercased() == "true") == truth ? isEqual : !isEqual
            case .concepts(let expression, let isEqual):
                guard let number = try number(text) else { return try isMetadata(text, of: expression) == isEqual }
                return try contains(number, expression) == isEqual
            }
        }
    }
}

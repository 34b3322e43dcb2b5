import Foundation

/// Reads RxNorm's Rich Release Format (RxNorm Technical Documentation: RXNCONSO, RXNREL, RXNSTY, RXNSAB).
struct RxNormImport {
    private let folder: String

    /// - Returns: nil if there is no such table below the folder.
    init?(_ paths: [String]) {
        guard paths.count == 1, let path = paths.first else { return nil }
        let candidates = [path, path + "/rrf"]
        guard let folder = candidates.first(where: { FileManager.default.fileExists(atPath: $0 + "/RXNCONSO.RRF") }) else { return nil }
        self.folder = folder
    }

    private func file(_ name: String) throws -> DelimitedFile? {
        let path = folder + "/" + name
        return FileManager.default.fileExists(atPath: path) ? try DelimitedFile(path, .bars, hasHeader: false) : nil
    }

    /// Types of terms that are names beside another one (synonyms and the like).
    private static let secondary: Set<String> = ["SY", "TMSY", "ET", "PSN"]

    func run(_ tables: CodeTables, _ report: (String) throws -> Void) throws -> CodeTables.System {
        var list = CodeList()
        try report("reading \(folder)")
        guard let names = try file("RXNCONSO.RRF") else { throw KnowledgeError(.missing, "\(folder) has no RXNCONSO.RRF") }
        var others: [(code: String, type: String, term: String, isActive: Bool)] = []
        var atoms: [String: Int] = [:]
        try names.visit(minimum: 17) { row in
            guard row.text(11) == "RXNORM" else { return }
            // The file has a row for each atom, whose identifier is its own (RxNorm Technical Documentation: RXAUI).
            let atom = row.text(7)
            if !atom.isEmpty, let line = atoms.updateValue(row.line, forKey: atom) {
                throw row.error("the atom '\(atom)' is that of line \(line), too: the release is damaged")
            }
            let (code, type, term) = (try row.code(0), row.text(12), row.text(14))
            let isActive = row.text(16) != "O"
            if Self.secondary.contains(type) {
                others.append((code, type, term, isActive))
                return
            }
            list.add(code, display: term, flags: isActive ? .active : [])
            list.addName(code, kind: type, term)
            list.addValue(code, "TTY", type)
        }
        for other in others {
            list.add(other.code, display: other.term, flags: other.isActive ? .active : [])
            list.addName(other.code, kind: other.type, other.term)
        }
        if let types = try file("RXNSTY.RRF") {
            try types.visit(minimum: 4) { row in
                list.addValue(row.text(0), "STY", row.text(1))
            }
        }
        if let relations = try file("RXNREL.RRF") {
            try relations.visit(minimum: 11) { row in
                // The second concept has the relation to the first.
                guard row.text(10) == "RXNORM", row.text(2) == "CUI", !row.text(7).isEmpty else { return }
                let (target, relation, source) = (row.text(0), row.text(7), row.text(4))
                if relation == "isa" {
                    try list.connect(source, to: target, row.place)
                } else if relation != "inverse_isa" {
                    try list.require(source, row.place)
                    try list.require(target, row.place)
                    list.addValue(source, relation, target)
                }
            }
        }
        var version = ""
        if let sources = try file("RXNSAB.RRF") {
            try sources.visit(minimum: 7) { row in if row.text(3) == "RXNORM" { version = row.text(6) } }
        }
        return try list.write(
            tables, kind: "rxnorm", url: "http://www.nlm.nih.gov/research/umls/rxnorm", version: version, name: "RxNorm", source: folder,
            report)
    }
}

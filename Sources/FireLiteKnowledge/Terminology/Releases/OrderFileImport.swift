import Foundation

/// Reads the order file of ICD-10-CM or ICD-10-PCS: a code a line, in columns of fixed width (its own `icd10OrderFiles.pdf`).
struct OrderFileImport {
    private let path: String
    private let isProcedures: Bool

    /// - Returns: nil if the file is none by its name, `icd10cm_order_2025.txt`.
    init?(_ path: String) {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        guard name.hasPrefix("icd10"), name.contains("order"), name.hasSuffix(".txt") else { return nil }
        self.path = path
        isProcedures = name.hasPrefix("icd10pcs")
    }

    func run(_ tables: CodeTables, _ report: (String) throws -> Void) throws -> CodeTables.System {
        try report("reading \(path)")
        let file = try DelimitedFile(path, .tabs, hasHeader: false)
        var list = CodeList()
        // Codes stand below the nearest earlier one that they begin with.
        var open: [(raw: String, code: String)] = []
        try file.visit { row in
            let line = row.text(0)
            let characters = Array(line.utf8)
            guard characters.count > 77, characters[5] == 32, characters[13] == 32, characters[14] == 48 || characters[14] == 49 else {
                throw file.error(row.line, "the line has not the columns of an order file: number, code, 0 or 1, short and long title")
            }
            func text(_ range: Range<Int>) -> String { String(decoding: characters[range], as: UTF8.self).trimmed }
            let raw = text(6..<13)
            guard !raw.isEmpty else { throw row.error("the line has no code") }
            let code = isProcedures || raw.count <= 3 ? raw : "\(raw.prefix(3)).\(raw.dropFirst(3))"
            try list.add(code, display: text(77..<characters.count), once: row.place)
            list.addName(code, kind: "short", text(16..<76))
            list.addValue(code, "billable", characters[14] == 49 ? "true" : "false")
            while let last = open.last, !raw.hasPrefix(last.raw) { open.removeLast() }
            if let parent = open.last { list.connect(code, to: parent.code) }
            open.append((raw, code))
        }
        let version = String(path.split(separator: "/").last?.filter(\.isNumber).suffix(4) ?? "")
        let name = isProcedures ? "ICD-10-PCS" : "ICD-10-CM"
        let url = isProcedures ? "http://www.cms.gov/Medicare/Coding/ICD10" : "http://hl7.org/fhir/sid/icd-10-cm"
        return try list.write(tables, kind: "icd10", url: url, version: version, name: name, source: path, report)
    }
}

import Foundation

/// Reads LOINC's tables (LOINC Users' Guide: LOINC table, component hierarchy by system, answer file, part file).
struct LoincImport {
    static let url = "http://loinc.org"
    private let table: String
    private let hierarchy: String?
    private let answers: String?
    private let links: String?
    private let parts: String?

    /// - Returns: nil if there is no such table below the folder.
    init?(_ paths: [String]) {
        let folder = paths.first ?? ""
        func find(_ names: String...) -> String? {
            names.lazy.map { folder + "/" + $0 }.first { FileManager.default.fileExists(atPath: $0) }
        }
        guard paths.count == 1, let table = find("LoincTable/Loinc.csv", "Loinc.csv") else { return nil }
        self.table = table
        let extra = "AccessoryFiles/"
        hierarchy = find(
            extra + "ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv",
            extra + "MultiAxialHierarchy/MultiAxialHierarchy.csv", "ComponentHierarchyBySystem.csv")
        answers = find(extra + "AnswerFile/AnswerList.csv", "AnswerList.csv")
        links = find(extra + "AnswerFile/LoincAnswerListLink.csv", "LoincAnswerListLink.csv")
        parts = find(extra + "PartFile/Part.csv", "Part.csv")
    }

    /// The columns of the table that are properties of a code.
    private static let properties = [
        "COMPONENT", "PROPERTY", "TIME_ASPCT", "SYSTEM", "SCALE_TYP", "METHOD_TYP", "CLASS", "STATUS", "CLASSTYPE", "ORDER_OBS",
        "VersionLastChanged", "CHNG_TYPE", "UNITSREQUIRED", "EXAMPLE_UCUM_UNITS",
    ]

    /// The columns that are names.
    private static let names = ["LONG_COMMON_NAME", "SHORTNAME", "DisplayName", "CONSUMER_NAME"]

    func run(_ tables: CodeTables, _ report: (String) throws -> Void) throws -> CodeTables.System {
        var list = CodeList()
        var version: String?
        try report("reading \(table)")
        let file = try DelimitedFile(table, .commas)
        let code = try file.column("LOINC_NUM")
        let (longName, status) = (try file.column("LONG_COMMON_NAME"), try file.column("STATUS"))
        func columns(_ names: [String]) -> [(String, Int)] {
            names.compactMap { name in file.columns.firstIndex(of: name).map { (name, $0) } }
        }
        let (values, names) = (columns(Self.properties), columns(Self.names))
        try file.visit { row in
            let number = try row.code(code)
            try list.add(number, display: row.text(longName), flags: row.text(status) == "DEPRECATED" ? [] : .active, once: row.place)
            for (name, column) in names { list.addName(number, kind: name, row.text(column)) }
            for (name, column) in values { list.addValue(number, name, row.text(column)) }
            if let changed = values.first(where: { $0.0 == "VersionLastChanged" }).map({ row.text($0.1) }), !changed.isEmpty,
                VersionPattern.isOlder(version, changed)
            {
                version = changed
            }
        }
        try readParts(&list, report)
        try readAnswers(&list, report)
        try readHierarchy(&list, report)
        return try list.write(
            tables, kind: "loinc", url: Self.url, version: version ?? "", name: "LOINC", source: table, report)
    }

    private func readParts(_ list: inout CodeList, _ report: (String) throws -> Void) throws {
        guard let parts else { return }
        try report("reading \(parts)")
        let file = try DelimitedFile(parts, .commas)
        let columns = try ["PartNumber", "PartTypeName", "PartName", "PartDisplayName", "Status"].map(file.column)
        try file.visit { row in
            let (number, display) = (try row.code(columns[0]), row.text(columns[3]))
            try list.add(
                number, display: display.isEmpty ? row.text(columns[2]) : display,
                flags: row.text(columns[4]) == "DEPRECATED" ? [] : .active, once: row.place)
            list.addName(number, kind: "PartName", row.text(columns[2]))
            list.addValue(number, "PartTypeName", row.text(columns[1]))
        }
    }

    private func readAnswers(_ list: inout CodeList, _ report: (String) throws -> Void) throws {
        guard let answers else { return }
        try report("reading \(answers)")
        let file = try DelimitedFile(answers, .commas)
        let columns = try ["AnswerListId", "AnswerListName", "AnswerStringId", "DisplayText"].map(file.column)
        var members: [String: [String]] = [:]
        try file.visit { row in
            let (answerList, answer) = (try row.code(columns[0]), row.text(columns[2]))
            list.add(answerList, display: row.text(columns[1]))
            // Lists that others define have no answers of LOINC's.
            guard !answer.isEmpty else { return }
            list.add(answer, display: row.text(columns[3]))
            list.addValue(answer, "LIST", answerList)
            members[answerList, default: []].append(answer)
        }
        guard let links else { return }
        let file2 = try DelimitedFile(links, .commas)
        let (number, answerList) = (try file2.column("LoincNumber"), try file2.column("AnswerListId"))
        try file2.visit { row in
            try list.require(row.text(number), row.place)
            list.addValue(row.text(number), "AnswerList", row.text(answerList))
            for answer in members[row.text(answerList)] ?? [] { list.addValue(answer, "answers-for", row.text(number)) }
        }
    }

    private func readHierarchy(_ list: inout CodeList, _ report: (String) throws -> Void) throws {
        guard let hierarchy else { return }
        try report("reading \(hierarchy)")
        let file = try DelimitedFile(hierarchy, .commas)
        let columns = try ["IMMEDIATE_PARENT", "CODE", "CODE_TEXT"].map(file.column)
        var edges: [(String, String, DelimitedFile.Place)] = []
        try file.visit { row in
            let (parent, code) = (row.text(columns[0]), try row.code(columns[1]))
            list.add(code, display: row.text(columns[2]))
            if !parent.isEmpty { edges.append((code, parent, row.place)) }
        }
        for (code, parent, row) in edges { try list.connect(code, to: parent, row) }
    }
}

import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// `firelite codes`: the large code systems of a file that terminologies share.
struct CodesCommand: Command {
    static let definition = CommandDefinition(
        name: "codes", summary: "import, list or remove SNOMED CT, LOINC, RxNorm or ICD-10-CM in a file",
        options: [
            .option("knowledge", "FILE", kind: .output(.database), isRequired: true, "the SQLite file; made if there is none"),
            .flag("json", "with list: print one JSON object instead of text"),
        ],
        operands: "add|list|remove PATH…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(["add", "list", "remove"]), .file],
        jsonKeys: [JSONKey("systems", "a list of objects: url, version, name, concepts, names")],
        discussion: """
            add imports a release in the form that its owner ships, from the folder in which it is unpacked:

              SNOMED CT   RF2, the snapshot; give an extension's folder together with that of the edition it extends
              LOINC       LoincTable/Loinc.csv, with the hierarchy, the parts and the answer lists where they are there
              RxNorm      rrf/RXNCONSO.RRF, with the relations
              ICD-10-CM   the order file, icd10cm_order_2025.txt; ICD-10-PCS as well

            The same version of a code system is replaced. An import is all or nothing: one that is killed leaves the file as
            it was. remove takes a URL, or URL|VERSION. `firelite terminology --knowledge FILE` uses the file.

            Examples: firelite codes --knowledge codes.sqlite add SnomedCT_InternationalRF2_20250101
                      firelite codes --knowledge codes.sqlite list
                      firelite codes --knowledge codes.sqlite remove http://loinc.org
            """)

    private enum Action {
        case add([String])
        case list
        case remove([String])
    }

    private let path: String
    private let action: Action
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = arguments["knowledge"] ?? ""
        isJSON = arguments.has("json")
        let names = Array(arguments.operands.dropFirst())
        switch arguments.operands.first {
        case "add": action = .add(names)
        case "list":
            if let other = names.first { throw ToolError.usage("unexpected argument '\(other)'") }
            action = .list
        case "remove": action = .remove(names)
        default: throw ToolError.usage("'\(arguments.operands.first ?? "")' is not add, list or remove")
        }
        if case .list = action { return }
        if isJSON { throw ToolError.usage("--json needs list") }
        if names.isEmpty { throw ToolError.usage("\(arguments.operands[0]) needs a path or a URL") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        do {
            let file = CodeSystemFile(path: path)
            switch action {
            case .add(let paths):
                let system = try file.add(paths) { if console.errorIsTerminal { console.report($0) } }
                try console.print(
                    "\(system.name) \(system.version): \(Figures.count(system.conceptCount)) concepts, \(Figures.count(system.nameCount)) names"
                )
            case .list: try list(file, console)
            case .remove(let names): try remove(names, file)
            }
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        }
        return .done
    }

    private func list(_ file: CodeSystemFile, _ console: Console) throws {
        var report = Report()
        report.addTable(
            "systems",
            ["url", "version", "name", "concepts", "names"].map { Report.Column(key: $0) },
            try file.systems().map {
                [
                    .text($0.url), .text($0.version), .text($0.name), .number($0.conceptCount), .number($0.nameCount),
                ]
            })
        try console.print(report, asJSON: isJSON)
    }

    private func remove(_ names: [String], _ file: CodeSystemFile) throws {
        for name in names {
            let parts = name.split(separator: "|", maxSplits: 1).map(String.init)
            guard try file.remove(parts.first ?? "", version: parts.count > 1 ? parts[1] : nil) > 0 else {
                throw ToolError.incomplete("there is no code system \(name), as `firelite codes --knowledge \(path) list` shows")
            }
        }
    }
}

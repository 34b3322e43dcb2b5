import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// `firelite codes`: the large code systems of a file that terminologies share.
struct CodesCommand: Command {
    static let definition = CommandDefinition(
        name: "codes", summary: "import, list or remove SNOMED CT, LOINC, RxNorm or ICD-10 in a file",
        options: KnowledgeFileArguments.options,
        operands: "add|list|remove PATH…", operandCount: CommandDefinition.anyNumber,
        operandKinds: KnowledgeFileArguments.operandKinds,
        jsonKeys: [JSONKey("systems", "a list of objects: url, version, name, concepts, names")],
        list: ListDefinition(key: "systems", actions: ["list"], rowKeys: ["url", "version"]),
        discussion: """
            add imports a release in the form that its owner ships, from the folder in which it is unpacked:

              SNOMED CT   RF2, the snapshot; give an extension's folder together with that of the edition it extends
              LOINC       LoincTable/Loinc.csv, with the hierarchy, the parts and the answer lists where they are there
              RxNorm      rrf/RXNCONSO.RRF, with the relations
              ICD-10-CM   the order file, icd10cm_order_2025.txt; ICD-10-PCS as well
              ICD-10      ClaML, the XML form of ICD-10, ICD-10-GM, OPS and ICD-O-3, with the codes that modifiers make

            The same version of a code system is replaced. An import is all or nothing: one that is killed leaves the file as
            it was. remove takes a URL, or URL|VERSION. `firelite terminology --knowledge FILE` uses the file.

            Examples: firelite codes --knowledge codes.sqlite add SnomedCT_InternationalRF2_20250101
                      firelite codes --knowledge codes.sqlite list
                      firelite codes --knowledge codes.sqlite remove http://loinc.org
            """)

    private let file: KnowledgeFileArguments
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        file = try KnowledgeFileArguments(arguments, entry: "a path or a URL")
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        do {
            let codes = CodeSystemFile(path: file.path)
            switch file.action {
            case .add(let paths):
                let system = try codes.add(paths) { if console.errorIsTerminal { console.report($0) } }
                let counts = [Figures.count(system.conceptCount, "concept"), Figures.count(system.nameCount, "name")]
                try console.printItem("\(system.name) \(system.version): \(counts.joined(separator: ", "))")
            case .list: try list(codes, console)
            case .remove(let names): try remove(names, codes)
            }
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        }
        return .done
    }

    private func list(_ codes: CodeSystemFile, _ console: Console) throws {
        var report = Report()
        report.addTable(
            "systems",
            ["url", "version", "name", "concepts", "names"].map { Report.Column(key: $0) },
            try codes.systems().map {
                [
                    .text($0.url), .text($0.version), .text($0.name), .number($0.conceptCount), .number($0.nameCount),
                ]
            })
        try console.print(report, listing)
    }

    private func remove(_ names: [String], _ codes: CodeSystemFile) throws {
        for name in names {
            let (url, version) = KnowledgeFileArguments.nameAndVersion(name, separator: "|")
            guard try codes.remove(url, version: version) > 0 else {
                throw ToolError.incomplete("there is no code system \(name), as `firelite codes --knowledge \(file.path) list` shows")
            }
        }
    }
}

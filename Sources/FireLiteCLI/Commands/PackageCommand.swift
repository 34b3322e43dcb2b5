import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// `firelite package`: the packages of a file that validations share.
struct PackageCommand: Command {
    static let definition = CommandDefinition(
        name: "package", summary: "add, list or remove FHIR packages in a file that validations share",
        options: KnowledgeFileArguments.options,
        operands: "add|list|remove PACKAGE…", operandCount: CommandDefinition.anyNumber,
        operandKinds: KnowledgeFileArguments.operandKinds,
        jsonKeys: [
            JSONKey("packages", "a list of objects: name, version, title, fhir"),
            JSONKey("missing", "the packages that those depend on and that are not in the file, as name#version"),
        ],
        discussion: """
            Implementation guides are published as packages: archives (.tgz) with profiles, extensions, value sets and code
            systems. add puts archives, or folders in which one is unpacked, into the file; the same version of a package is
            replaced. remove takes a name, or name#version. `firelite validate --knowledge FILE` uses the file.

            Nothing is downloaded. Archives with links, with paths out of their folder, or that unpack to more than a gigabyte
            are refused.

            Examples: firelite package --knowledge guides.sqlite add us-core-6.1.0.tgz
                      firelite package --knowledge guides.sqlite list
                      firelite package --knowledge guides.sqlite remove hl7.fhir.us.core#6.1.0
            """)

    private let file: KnowledgeFileArguments

    init(_ arguments: ParsedArguments) throws { file = try KnowledgeFileArguments(arguments, entry: "a package") }

    func run(_ console: Console) throws -> ExitStatus {
        do {
            switch file.action {
            case .add(let sources): try add(sources, console)
            case .list: try list(console)
            case .remove(let names): try remove(names)
            }
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        } catch let error as TransferError {
            throw ToolError.failed(error)
        }
        return .done
    }

    private func add(_ sources: [String], _ console: Console) throws {
        // All are read before the file is made or changed.
        let packages = try sources.map { try PackageReader.read($0) }
        let knowledge = try KnowledgeFile(path: file.path)
        for package in packages {
            try knowledge.add(package)
            try console.print("\(package.manifest.key): \(Figures.count(package.definitions.count)) definitions")
        }
    }

    private func list(_ console: Console) throws {
        let packages = try KnowledgeFile(path: file.path, isReadOnly: true).packages()
        var report = Report()
        report.addTable(
            "packages",
            [Report.Column(key: "name"), Report.Column(key: "version"), Report.Column(key: "title"), Report.Column(key: "fhir")],
            packages.map { [.text($0.name), .text($0.version), .text($0.title ?? ""), .text($0.fhirVersions.joined(separator: ", "))] })
        let missing = PackageManifest.missingDependencies(of: packages)
        if !missing.isEmpty { report.addNote("not in the file, though others depend on them: \(missing.joined(separator: ", "))") }
        report.addMember("missing", .texts(missing))
        try console.print(report, asJSON: file.isJSON)
    }

    private func remove(_ names: [String]) throws {
        let knowledge = try KnowledgeFile(path: file.path)
        for name in names {
            let (package, version) = KnowledgeFileArguments.nameAndVersion(name, separator: "#")
            guard try knowledge.removePackage(named: package, version: version) > 0 else {
                throw ToolError.incomplete("there is no package \(name), as `firelite package --knowledge \(file.path) list` shows")
            }
        }
    }
}

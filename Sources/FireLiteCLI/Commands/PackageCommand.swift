import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// `firelite package`: the packages of a file that validations share.
struct PackageCommand: Command {
    static let definition = CommandDefinition(
        name: "package", summary: "add, list or remove FHIR packages in a file that validations share",
        options: KnowledgeFileArguments.makeOptions("list or add"),
        operands: "add|list|remove PACKAGE…", operandCount: CommandDefinition.anyNumber,
        operandKinds: KnowledgeFileArguments.operandKinds,
        jsonKeys: [
            JSONKey("packages", "a list of objects: name, version, title, fhir"),
            JSONKey("missing", "the packages that those depend on and that are not in the file, as name#version"),
            JSONKey("skipped", "with add: the files that were left out, a list of objects: package, file, reason"),
        ],
        discussion: """
            Implementation guides are published as packages: archives (.tgz) with profiles, extensions, value sets and code
            systems. add puts archives, or folders in which one is unpacked, into the file; the same version of a package is
            replaced. remove takes a name, or name#version. `firelite validate --knowledge FILE` uses the file.

            Files of a package that are no FHIR resources in JSON are left out, and add lists them on standard error. Nothing is
            downloaded. Archives with links, with paths out of their folder, or that unpack to more than a gigabyte are refused,
            and so are folders with as much.

            Examples: firelite package --knowledge guides.sqlite add us-core-6.1.0.tgz
                      firelite package --knowledge guides.sqlite list
                      firelite package --knowledge guides.sqlite remove hl7.fhir.us.core#6.1.0
            """)

    private let file: KnowledgeFileArguments

    init(_ arguments: ParsedArguments) throws { file = try KnowledgeFileArguments(arguments, entry: "a package", addHasJSON: true) }

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
            if !file.isJSON {
                try console.printItem("\(package.manifest.key): \(Figures.count(package.definitions.count)) definitions")
            }
            for skipped in package.skipped { console.report("left out: \(skipped)") }
        }
        guard file.isJSON else { return }
        let all = try knowledge.packages()
        let report = Self.report(
            packages.map(\.manifest), missing: PackageManifest.missingDependencies(of: all), packages.flatMap(\.skipped))
        try console.print(report, asJSON: true)
    }

    private func list(_ console: Console) throws {
        let packages = try KnowledgeFile(path: file.path, isReadOnly: true).packages()
        try console.print(Self.report(packages, missing: PackageManifest.missingDependencies(of: packages), []), asJSON: file.isJSON)
    }

    private static func report(_ packages: [PackageManifest], missing: [String], _ skipped: [SkippedFile]) -> Report {
        var report = Report()
        report.addTable(
            "packages",
            [Report.Column(key: "name"), Report.Column(key: "version"), Report.Column(key: "title"), Report.Column(key: "fhir")],
            packages.map { [.text($0.name), .text($0.version), .text($0.title ?? ""), .text($0.fhirVersions.joined(separator: ", "))] })
        if !missing.isEmpty { report.addNote("not in the file, though others depend on them: \(missing.joined(separator: ", "))") }
        report.addMember("missing", .texts(missing))
        report.addTable(
            "skipped", ["package", "file", "reason"].map { Report.Column(key: $0) },
            skipped.map { [.text($0.package), .text($0.file), .text($0.reason)] }, isShown: false)
        return report
    }

    private func remove(_ names: [String]) throws {
        // A file is not made for it.
        _ = try KnowledgeFile(path: file.path, isReadOnly: true)
        let knowledge = try KnowledgeFile(path: file.path)
        for name in names {
            let (package, version) = KnowledgeFileArguments.nameAndVersion(name, separator: "#")
            guard try knowledge.removePackage(named: package, version: version) > 0 else {
                throw ToolError.incomplete("there is no package \(name), as `firelite package --knowledge \(file.path) list` shows")
            }
        }
    }
}

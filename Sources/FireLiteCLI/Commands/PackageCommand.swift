import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteRegistry
import FireLiteTerminal
import Foundation

/// `firelite package`: the packages of a database, or of a file that validations share.
struct PackageCommand: Command {
    static let definition = CommandDefinition(
        name: "package", summary: "add, list or remove FHIR packages in a database, or in a file that validations share",
        options: [
            .option(
                "database", "FILE", kind: .database,
                "the SQLite database to keep them in; FIRELITE_DATABASE can name it"),
            DatabaseArgument.release.needing(CommandDefinition.database), KeyFile.option.needing(CommandDefinition.database),
        ] + KnowledgeFileArguments.makeOptions(json: ["list", "add"], isRequired: false) + [
            .option("registry", "URL", "with add: download packages that are named NAME@VERSION from there").only("add"),
            .flag("dependencies", "with add and --registry: download the packages that those depend on, too")
                .only("add").needing("registry"),
        ],
        operands: "add|list|remove PACKAGE…", operandCount: CommandDefinition.anyNumber,
        operandKinds: KnowledgeFileArguments.operandKinds, needsDatabase: { options, _ in !options.contains("knowledge") },
        jsonKeys: [
            JSONKey("packages", "a list of objects: name, version, title, fhir"),
            JSONKey("missing", "the packages that those depend on and that are not there, as name#version"),
            JSONKey("skipped", "with add: the files that were left out, a list of objects: package, file, reason"),
        ],
        list: ListDefinition(key: "packages", actions: ["list"], rowKeys: ["name", "version"]),
        discussion: """
            Implementation guides are published as packages: archives (.tgz) with profiles, extensions, value sets and code
            systems. add puts archives, or folders in which one is unpacked, into the database or the file; the same version of
            a package is replaced. remove takes a name, or name#version. `firelite validate` uses the packages of its --database
            and of its --knowledge.

            Files of a package that are no FHIR resources in JSON are left out, and add lists them on standard error. Nothing is
            downloaded without --registry. With it, an archive is read only if it has the checksums that the registry gives, and
            other hosts, redirects to plain http and answers that are too large are refused. Archives with links, with paths out
            of their folder, or that unpack to more than a gigabyte are refused, and so are folders with as much.

            Examples: firelite package --database health.sqlite add us-core-6.1.0.tgz
                      firelite package --knowledge guides.sqlite add us-core-6.1.0.tgz
                      firelite package --knowledge guides.sqlite list
                      firelite package --knowledge guides.sqlite remove hl7.fhir.us.core#6.1.0
                      firelite package --knowledge guides.sqlite add hl7.fhir.us.core@6.1.0 --registry https://packages.example.org
            """)

    private let file: KnowledgeFileArguments
    private let database: DatabaseArgument?
    private let registry: PackageRegistry?
    private let followsDependencies: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        guard arguments.has("database") != arguments.has("knowledge") else {
            throw ToolError.usage("give either --database FILE (or FIRELITE_DATABASE) or --knowledge FILE")
        }
        database = arguments.has("database") ? try DatabaseArgument(arguments) : nil
        file = try KnowledgeFileArguments(arguments, entry: "a package")
        listing = try Listing(arguments, Self.definition)
        registry = try arguments["registry"].map { text -> PackageRegistry in
            guard let url = URL(string: text) else { throw ToolError.usage("--registry: '\(text)' is not a URL") }
            do { return try PackageRegistry(url) } catch let error as KnowledgeError {
                throw ToolError.usage("--registry: \(error.message)")
            }
        }
        followsDependencies = arguments.has("dependencies")
    }

    func run(_ console: Console) throws -> ExitStatus {
        do {
            let place = try place()
            switch file.action {
            case .add(let sources): try add(sources, to: place, console)
            case .list: try list(place, console)
            case .remove(let names): try remove(names, from: place)
            }
        } catch let error as FHIRStoreError {
            throw ToolError.failed(database?.message(of: error) ?? error.description)
        } catch let error as ToolError {
            throw error
        } catch let error as any FireLiteError {
            throw ToolError.failed(error)
        }
        return .done
    }

    private func place() throws -> PackagePlace {
        guard let database else { return .file(file.path) }
        if case .list = file.action { return .store(try database.openForReading()) }
        return .store(try database.open())
    }

    // MARK: - Adding

    private func add(_ sources: [String], to place: PackagePlace, _ console: Console) throws {
        // All are read before the file is made or changed.
        var packages: [LoadedPackage] = []
        var present: [PackageManifest]?
        for source in sources {
            guard let registry, !FileManager.default.fileExists(atPath: source) else {
                packages.append(try PackageReader.read(source))
                continue
            }
            let known = try present ?? place.packagesIfAny()
            present = known
            packages += try download(source, from: registry, known + packages.map(\.manifest))
        }
        try place.add(packages)
        for package in packages {
            if !file.isJSON {
                try console.printItem("\(package.manifest.key): \(Figures.count(package.definitions.count, "definition"))")
            }
            for skipped in package.skipped { console.report("left out: \(skipped)") }
            if case .store(let store) = place, !package.manifest.isFor(store.release) {
                let versions = package.manifest.fhirVersions.joined(separator: ", ")
                console.report("note: \(package.manifest.key) is for FHIR \(versions), and the database has resources of \(store.release)")
            }
        }
        guard file.isJSON else { return }
        let report = Self.report(
            packages.map(\.manifest), missing: PackageManifest.missingDependencies(of: try place.packages()),
            packages.flatMap(\.skipped))
        try console.print(report, asJSON: true)
    }

    private func download(_ key: String, from registry: PackageRegistry, _ present: [PackageManifest]) throws -> [LoadedPackage] {
        let separator: Character = key.contains("@") ? "@" : "#"
        let (name, version) = KnowledgeFileArguments.nameAndVersion(key, separator: separator)
        let follows = followsDependencies
        return try awaiting {
            guard follows else { return [try await registry.package(named: name, version: version).loaded] }
            return try await registry.packages(named: name, version: version, present: present).map(\.loaded)
        }
    }

    // MARK: - Listing and removing

    private func list(_ place: PackagePlace, _ console: Console) throws {
        let packages = try place.packages()
        try console.print(Self.report(packages, missing: PackageManifest.missingDependencies(of: packages), []), listing)
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

    private func remove(_ names: [String], from place: PackagePlace) throws {
        for name in names {
            let (package, version) = KnowledgeFileArguments.nameAndVersion(name, separator: "#")
            guard try place.remove(package, version) > 0 else {
                let option = database.map { "--database \($0.path)" } ?? "--knowledge \(file.path)"
                throw ToolError.incomplete("there is no package \(name), as `firelite package \(option) list` shows")
            }
        }
    }
}

/// Where the packages are.
private enum PackagePlace {
    case file(String)
    case store(FHIRStore)

    func packages() throws -> [PackageManifest] {
        switch self {
        case .file(let path): try KnowledgeFile(path: path, isReadOnly: true).packages()
        case .store(let store): try store.packages()
        }
    }

    /// The packages; none if the file is still to be made.
    func packagesIfAny() throws -> [PackageManifest] {
        if case .file(let path) = self, !FileManager.default.fileExists(atPath: path) { return [] }
        return try packages()
    }

    func add(_ packages: [LoadedPackage]) throws {
        switch self {
        case .file(let path):
            let knowledge = try KnowledgeFile(path: path)
            for package in packages { try knowledge.add(package) }
        case .store(let store): try store.addPackages(packages)
        }
    }

    func remove(_ name: String, _ version: String?) throws -> Int {
        switch self {
        case .file(let path):
            // A file is not made for it.
            _ = try KnowledgeFile(path: path, isReadOnly: true)
            return try KnowledgeFile(path: path).removePackage(named: name, version: version)
        case .store(let store): return try store.removePackage(named: name, version: version)
        }
    }
}

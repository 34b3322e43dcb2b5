import FireLite
import FireLiteRecords
import FireLiteTerminal
import Foundation

/// `firelite diff`: compares versions of a resource, files and databases.
struct DiffCommand: Command {
    static let definition = CommandDefinition(
        name: "diff", summary: "compare versions of a resource, or two files or databases",
        options: [
            .option("database", "FILE", kind: .database, "the SQLite file with the versions of Type/id"),
            DatabaseArgument.release, KeyFile.option, KeyringFile.option,
            .option("from", "N", "the earlier version (default: the one before --to)"),
            .option("to", "N", "the later version (default: the current one)"),
            .flag("paths", "of files and databases: print the paths of changed elements"),
            .flag("values", "of files and databases: print their values, too"),
        ],
        operands: "[FILE] Type/id | OLD NEW", operandCount: 1...2, operandKinds: [.file, .file],
        jsonKeys: [
            JSONKey("elements", "of versions, a list: path, old, new (JSON or null)"),
            JSONKey("changes", "of files and databases, a list: kind (added, updated or deleted), type, id, elements"),
            JSONKey("withoutID", "of files and databases: the number of resources without an id, which cannot be compared"),
        ],
        list: ListDefinition(key: "changes", rowKeys: ["type", "id"]),
        discussion: """
            With Type/id: prints the elements that differ between two versions of a resource, with their values; FILE is the
            database, as with --database. `firelite history` lists the versions; the store must keep its history, as
            `firelite track` has it do.

            OLD and NEW are databases, or files and folders as for import. Resources are compared by type and id. The exit status
            is 1 if they differ, as with diff(1), and 0 if they do not.

            Examples: firelite track --database health.sqlite on history
                      firelite patch health.sqlite Patient/123 gender=other
                      firelite diff health.sqlite Patient/123
                      firelite diff health.sqlite restored.sqlite
            """)

    private enum Job {
        case versions(DatabaseArgument, ResourceKey)
        case sides(String, String, FHIRRelease)
    }

    private let job: Job
    private let from: Int64?
    private let to: Int64?
    private let hasPaths: Bool
    private let hasValues: Bool
    private let keyPath: String?
    private let keyring: KeyringFile?
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        from = try arguments.number("from", in: 1...Int.max).map { Int64($0) }
        to = try arguments.number("to", in: 1...Int.max).map { Int64($0) }
        hasValues = arguments.has("values")
        hasPaths = hasValues || arguments.has("paths")
        keyPath = arguments["key-file"]
        keyring = arguments["keyring"].map { KeyringFile(path: $0) }
        listing = try Listing(arguments, Self.definition)
        let operands = arguments.operands
        let first = Self.namesVersions(operands) && !arguments.has("database") ? operands[0] : nil
        if operands.count == 1 || first != nil {
            guard let path = arguments["database"] ?? first ?? arguments.standardDatabase else {
                throw ToolError.usage("NEW is missing; or give --database FILE with Type/id")
            }
            let database = try DatabaseArgument(arguments, path: path)
            job = .versions(database, try ResourceKey(operands[operands.count - 1], in: database))
            if arguments.has("paths") || arguments.has("values") {
                throw ToolError.usage("--paths and --values are for files and databases: versions are printed with paths and values")
            }
        } else {
            if arguments.has("database") { throw ToolError.usage("--database is for versions of Type/id: give OLD and NEW without it") }
            for name in ["from", "to"] where arguments.has(name) { throw ToolError.usage("--\(name) is for versions of Type/id") }
            job = .sides(operands[0], operands[1], try Self.release(arguments, operands))
        }
    }

    /// Whether the operands are a database and `Type/id`, and no files or databases to compare.
    private static func namesVersions(_ operands: [String]) -> Bool {
        guard operands.count == 2, operands[1].contains("/"), OwnOperand.resource.includes(operands[1]) else { return false }
        return !FileManager.default.fileExists(atPath: operands[1])
    }

    /// The release that an option names, or that of the first database.
    private static func release(_ arguments: ParsedArguments, _ paths: [String]) throws -> FHIRRelease {
        let database = paths.first { ImportSource.isDatabase($0) || arguments.has("key-file") }
        return try DatabaseArgument(arguments, path: database ?? "-").release
    }

    func run(_ console: Console) throws -> ExitStatus {
        switch job {
        case .versions(let database, let key): try diff(database, key, console)
        case .sides(let old, let new, let release): try diff(from: old, to: new, release, console)
        }
    }

    // MARK: - Versions

    private func diff(_ database: DatabaseArgument, _ key: ResourceKey, _ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let differences = try database.located {
            let versions = try store.history(typeName: key.type, id: key.id).map(\.version)
            guard let newest = versions.first else { throw ToolError.incomplete("\(key) is not in \(database.path)") }
            let later = to ?? newest
            guard let earlier = from ?? versions.first(where: { $0 < later }) else {
                throw ToolError.incomplete(
                    "no version of \(key) before \(later) is kept: switch the history on with `firelite track --database FILE on history`")
            }
            return try state(store, key, earlier).differences(to: state(store, key, later))
        }
        var report = Report()
        let cell = { (json: String?) -> FigureValue in json.map { .shown($0, .json($0)) } ?? .none }
        report.addTable(
            "elements", ["path", "old", "new"].map { .init(key: $0) },
            differences.map { [.text($0.path), cell($0.old), cell($0.new)] }, isShown: !differences.isEmpty)
        if differences.isEmpty { report.addNote("no difference") }
        try console.print(report, listing.of("elements", rowKeys: ["path"]))
        return differences.isEmpty ? .done : .incomplete
    }

    private func state(_ store: FHIRStore, _ key: ResourceKey, _ version: Int64) throws -> FHIRResource {
        guard let state = try store.resource(typeName: key.type, id: key.id, version: version) else {
            throw ToolError.incomplete("version \(version) of \(key) is not kept, or is a deletion")
        }
        return state
    }

    // MARK: - Files and databases

    private func diff(from old: String, to new: String, _ release: FHIRRelease, _ console: Console) throws -> ExitStatus {
        let earlier = try store(old, release, console)
        let later = try store(new, release, console)
        let comparison: StoreComparison
        do { comparison = try StoreComparison(earlier, later) } catch let error as FHIRStoreError { throw ToolError.failed(error) }
        var report = Report()
        let differences = comparison.differences
        report.addTable(
            "changes", ["kind", "type", "id"].map { .init(key: $0) } + (hasPaths ? [.init(key: "elements")] : []),
            differences.map { difference in
                [.text(difference.kind.rawValue), .text(difference.typeName), .text(difference.id)]
                    + (hasPaths ? [ChangesCommand.elements(difference.elements, hasValues: hasValues)] : [])
            }, isShown: !differences.isEmpty)
        if differences.isEmpty { report.addNote("no difference") }
        report.addMember("withoutID", .number(comparison.withoutID))
        try console.print(report, listing)
        if comparison.withoutID > 0, listing.format != .json {
            console.report("firelite diff: not compared, as they have no id: \(Figures.count(comparison.withoutID))")
        }
        return differences.isEmpty ? .done : .incomplete
    }

    /// A database, or a store in memory with what files hold.
    private func store(_ path: String, _ release: FHIRRelease, _ console: Console) throws -> FHIRStore {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolError.failed("\(path): No such file or directory")
        }
        if !isFolder.boolValue, ImportSource.isDatabase(path) || keyPath != nil {
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            configuration.mustExist = true
            configuration.key = try keyPath.map { try KeyFile.key(path: $0) }
            do {
                let store = try FHIRStore(path: path, release: release, configuration: configuration)
                if let keyring { store.records.encryption = try .perRecord(keyring.read()) }
                // Payloads that one file keeps apart and the other does not are the same.
                try store.attachments.resume()
                return store
            } catch let error as FHIRStoreError { throw ToolError.failed("\(path): \(ToolWords.text(of: error))") }
        }
        do {
            let store = try FHIRStore(path: ":memory:", release: release)
            try store.importResources(from: URL(fileURLWithPath: path))
            return store
        } catch let error as FHIRStoreError { throw ToolError.failed("\(path): \(ToolWords.text(of: error))") }
    }
}

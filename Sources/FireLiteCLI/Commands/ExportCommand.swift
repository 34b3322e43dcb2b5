import FireLite
import FireLiteErasure
import Foundation

/// `firelite export`: writes the database to NDJSON or XML files.
struct ExportCommand: Command {
    static let definition = CommandDefinition(
        name: "export", summary: "write the resources as NDJSON or XML, one file for each type",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("type", "T", kind: .resourceType, isRepeatable: true, "a resource type to write (default: all)"),
            .option("patient", "Type/id", kind: .resource, "only this patient and what is in its compartment"),
            .option("output", "DIR|-", kind: .output(.folder), isRequired: true, "the folder for the files, or - for standard output"),
            .option("format", "ndjson|xml", kind: .choice(["ndjson", "xml"]), "how to write them (default: ndjson)"),
            .flag("assign-ids", "give resources without an id their pk as id, in references too"),
            .option(
                "on-error", "stop|skip", kind: .choice(["stop", "skip"]),
                "what to do about a resource that cannot be read or written (default: stop)"),
            .flag("ids", "name unreadable resources by their logical ids, which may identify people"),
        ],
        operands: "", operandCount: 0...0, operandKinds: [.database], ownOperand: OwnOperand.none,
        jsonKeys: [
            JSONKey("exported", "the number of resources"),
            JSONKey("files", "the number of files"),
            JSONKey("withoutID", "the number of resources without an id, without --assign-ids"),
            JSONKey("assignedIDs", "the number of resources that were given an id"),
            JSONKey("unreadable", "the number of skipped resources"),
            JSONKey("seconds", "the duration"),
        ],
        discussion: """
            The folder gets Type.ndjson for each stored or requested type; it is created if it does not exist. The files
            appear when all of them are complete. Standard output gets one type after another. All output is one
            snapshot of the database.

            XML has no form for many resources: with --format xml each file, or standard output as a whole, is one Bundle of type
            collection, with an entry on each line. The files are named Type.xml.

            References to resources without an id are broken in other databases; the command prints how many such resources there
            are. With --assign-ids such a resource gets its pk as id, and references to it by pk (urn:uuid:) become Type/id. The
            database is not changed.

            --patient writes what belongs to one person, with its attachments: the resource, its compartment, and Binary resources
            that these name. Another database can import the folder. It lacks the history, annotations and app data, and what is
            not in the compartment: devices, practitioners and organizations that the resources refer to. Standard error lists
            how many of each type the database has and the folder has not. A Group names its other members, too. A folder with files
            of an earlier export that would not be replaced is refused, as these may be about others.

            With --on-error stop a resource that cannot be read, or that XML cannot hold, ends the export, and no file appears.
            With skip it is skipped and listed on standard error, with its type, its number in the store and the reason; the exit
            status is 1.

            Examples: firelite export --database health.sqlite --type Patient --output - | wc -l
                      firelite export --database health.sqlite --patient Patient/123 --output person
            """)

    private let database: DatabaseArgument
    private let types: [String]
    private let patient: ResourceKey?
    private let output: OutputPath
    private let options: Exporter.Options
    private let showsIDs: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        var types: [String] = []
        for type in arguments.all("type") where !types.contains(type) {
            _ = try database.resourceLayout(named: type)
            types.append(type)
        }
        self.types = types
        patient = try arguments["patient"].map { [database] in try ResourceKey($0, in: database) }
        if patient != nil, !types.isEmpty { throw ToolError.usage("--patient and --type are given: choose one") }
        guard let output = arguments.output("--output") else { throw ToolError.usage("--output needs the name of a folder, or -") }
        self.output = output
        isJSON = arguments.has("json")
        if isJSON, output.isStandardOutput {
            throw ToolError.usage("--json needs a folder as --output: the resources go to standard output")
        }
        let onError = arguments["on-error"] ?? "stop"
        guard onError == "stop" || onError == "skip" else { throw ToolError.usage("--on-error is '\(onError)', neither stop nor skip") }
        guard let format = ExportOptions.Format(rawValue: arguments["format"] ?? "ndjson") else {
            throw ToolError.usage("--format is '\(arguments["format"] ?? "")', neither ndjson nor xml")
        }
        options = Exporter.Options(assignsIDs: arguments.has("assign-ids"), skips: onError == "skip", format: format)
        showsIDs = arguments.has("ids")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let clock = ContinuousClock()
        let start = clock.now
        var handlers = Exporter.Handlers()
        handlers.skip = { console.report(line($0)) }
        handlers.explain = { ToolError.failed("\(ToolWords.text(of: $0)): `firelite export --on-error skip` skips what cannot be read") }
        guard let patient else {
            return try run(Exporter(types: types, options: options, handlers: handlers), of: store, since: start, console)
        }
        // One snapshot for what belongs to a person and its content.
        return try database.located {
            try store.read { transaction -> ExitStatus in
                let chosen = try person(patient, transaction)
                try refuseEarlierFiles(besides: Set(chosen.types), store)
                let exporter = Exporter(types: chosen.types, roots: chosen.roots, options: options, handlers: handlers)
                // Before the export, which ends with an error if it skips something.
                if let line = try ReferredResources(outside: chosen.roots, transaction).line {
                    console.report("firelite export: not exported, though the resources refer to them: \(line)")
                }
                return try run(exporter, of: store, since: start, console)
            }
        }
    }

    private func person(_ key: ResourceKey, _ transaction: ReadTransaction) throws -> (types: [String], roots: Set<Int64>) {
        do { return try transaction.resources(ofPerson: key.type, id: key.id) } catch let error as ErasureError {
            throw error.code == .notSupported ? ToolError.usage(error) : ToolError.incomplete("\(key) is not in \(database.path)")
        }
    }

    private func run(
        _ exporter: Exporter, of store: FHIRStore, since start: ContinuousClock.Instant, _ console: Console
    ) throws -> ExitStatus {
        var exporter = exporter
        if output.isStandardOutput {
            try database.located { try exporter.export(store, to: console.standardOutput) }
            if let line = exporter.counts.idLine { console.report("firelite export: \(line)") }
        } else {
            let folder = try output.exportFolder(database: database.path)
            try database.located { try exporter.export(store, to: folder) }
            try folder.finish()
            try console.print(exporter.counts.report(start.duration(to: ContinuousClock().now)), asJSON: isJSON)
            for name in try earlierFiles(store) {
                console.report("firelite export: \(name) is of an earlier export, and was left as it is")
            }
        }
        let number = exporter.counts.unreadable
        guard number > 0 else { return .done }
        throw ToolError.incomplete("skipped \(number == 1 ? "1 unreadable resource" : "\(number) unreadable resources")")
    }

    /// The files in the folder that an export of all types leaves.
    private func earlierFiles(_ store: FHIRStore) throws -> [String] {
        guard types.isEmpty, patient == nil else { return [] }
        let stored = try Set(store.counts().filter { $0.count > 0 }.map(\.typeName))
        return earlierFiles(besides: stored, store).map { "\(output.path)/\($0)" }
    }

    /// The names of the files in the folder that some export has written, and that one of these types does not replace.
    private func earlierFiles(besides written: Set<String>, _ store: FHIRStore) -> [String] {
        var names: [String] = []
        for format in ExportOptions.Format.allCases {
            for type in store.release.resourceTypeNames where format != options.format || !written.contains(type) {
                names.append("\(type).\(format.rawValue)")
            }
        }
        return names.filter { FileManager.default.fileExists(atPath: "\(output.path)/\($0)") }
    }

    /// What else is in the folder would pass for the person's.
    ///
    /// - Throws: `ToolError` with status 2.
    private func refuseEarlierFiles(besides written: Set<String>, _ store: FHIRStore) throws {
        guard !output.isStandardOutput else { return }
        let names = earlierFiles(besides: written, store)
        guard !names.isEmpty else { return }
        let list = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
        throw ToolError.usage("\(output.path) has \(list) of an earlier export, which would seem to be the person's: name a new folder")
    }

    private func line(_ resource: UnreadableResource) -> String {
        let type = resource.typeName ?? "a resource"
        let name = showsIDs ? resource.id.map { "\(type)/\($0)" } : nil
        return "skipped \(name ?? "\(type) number \(resource.number)"): \(resource.reason)"
    }
}

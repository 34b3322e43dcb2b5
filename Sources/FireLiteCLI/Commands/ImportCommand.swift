import FireLite
import Foundation

/// `firelite import`: files into the database.
struct ImportCommand: Command {
    static let definition = CommandDefinition(
        name: "import", summary: "store the resources of NDJSON files, JSON files and Bundles",
        options: DatabaseArgument.options + [
            .option("on-error", "stop|skip", "what a text that cannot be read does; stop unless given"),
            .option("rejects", "FILE", "where rejected texts go; FILE-rejects.ndjson beside the database unless given"),
            .flag("whole-bundles", "store a Bundle as the one resource it is"),
            .flag("quiet", "print neither progress nor summary"),
        ],
        operands: "PATH…", operandCount: CommandDefinition.anyNumber,
        discussion: """
            A PATH is an NDJSON file (a resource on each line), a JSON file with one resource, or a Bundle; - is standard
            input. The database is made if it is not there. A resource whose type and id are stored already replaces
            that one; one without an id is added.

            The entries of a Bundle are stored one by one. References by urn:uuid: or fullUrl become Type/id, and an
            entry without an id gets that of its fullUrl. Entries without a resource are passed over.

            Each file is one transaction. With --on-error stop the first text that cannot be read ends the import, with
            nothing of its file stored. With skip it goes to the rejects file, a line of NDJSON with "file", "line",
            "reason" and "text", and everything else is stored.

            Example: firelite import --database health.sqlite --on-error skip *.ndjson
            """)

    private let database: DatabaseArgument
    private let sources: [String]
    private let options: ImportOptions
    private let rejectsPath: String?
    private let isQuiet: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        sources = arguments.operands
        rejectsPath = arguments["rejects"]
        isQuiet = arguments.has("quiet")
        let onError = arguments["on-error"] ?? "stop"
        guard onError == "stop" || onError == "skip" else { throw ToolError.usage("--on-error is '\(onError)', neither stop nor skip") }
        guard sources.count(where: { $0 == "-" }) <= 1 else {
            throw ToolError.usage("- is given twice, but standard input can be read once")
        }
        options = ImportOptions(
            release: database.release, stopsAtFault: onError == "stop", keepsBundles: arguments.has("whole-bundles"))
    }

    func run(_ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let inputs = sources.map { $0 == "-" ? ImportSource.standardInput(console.standardInput) : .file(path: $0) }
        let total = try Self.totalSize(inputs)
        try checkRejectsPath()
        let store = try database.create()
        let rejects = try rejectsFile()
        let progress = console.errorIsTerminal && !isQuiet ? ProgressLine(console.standardError, total: total) : nil
        var importer = Importer(store: store, options: options, rejects: rejects, progress: progress)
        var fault: ImportFault?
        do {
            for input in inputs { try database.located { try importer.run(input) } }
        } catch let error as ImportFault {
            fault = error
        } catch {
            try progress?.clear()
            throw error
        }
        try progress?.clear()
        if !isQuiet { try console.print(importer.counts.summary(start.duration(to: clock.now))) }
        if let fault { throw fault }
        guard importer.counts.rejected > 0 else { return .done }
        let number = importer.counts.rejected
        throw ToolError.incomplete("\(number) rejected: see \(rejects?.path ?? "")")
    }

    /// Makes sure that every file can be read before anything is stored, and adds up their sizes where all are known.
    private static func totalSize(_ inputs: [ImportSource]) throws -> Int? {
        var total: Int? = 0
        for case .file(let path) in inputs {
            var status = stat()
            guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw ToolError.system(path) }
            switch status.st_mode & S_IFMT {
            case S_IFREG: total = total.map { $0 + Int(status.st_size) }
            case S_IFDIR: throw ToolError.system(path, code: EISDIR)
            default: total = nil
            }
        }
        return inputs.contains { if case .standardInput = $0 { true } else { false } } ? nil : total
    }

    /// The rejects file is replaced, so it must not be one that is read.
    private func checkRejectsPath() throws {
        var rejects = stat()
        guard let rejectsPath, stat(rejectsPath, &rejects) == 0 else { return }
        for path in sources + [database.path] {
            var other = stat()
            if stat(path, &other) == 0, other.st_dev == rejects.st_dev, other.st_ino == rejects.st_ino {
                throw ToolError.usage("--rejects is \(rejectsPath), which is read: name another file")
            }
        }
    }

    /// A file that was asked for is there even if nothing is rejected.
    private func rejectsFile() throws -> RejectsFile? {
        if let rejectsPath {
            let file = RejectsFile(path: rejectsPath)
            try file.create()
            return file
        }
        return options.stopsAtFault ? nil : RejectsFile(path: database.path + "-rejects.ndjson")
    }
}

import FireLite
import Foundation

/// `firelite import`: files into the database.
struct ImportCommand: Command {
    static let definition = CommandDefinition(
        name: "import", summary: "store the resources of NDJSON files, JSON files, Bundles and folders of them",
        options: DatabaseArgument.options + [
            .option("on-error", "stop|skip", "what a text that cannot be read does; stop unless given"),
            .option("rejects", "FILE", "where rejected texts go; FILE-rejects.ndjson beside the database unless given"),
            .flag("whole-bundles", "store a Bundle as the one resource it is"),
            .flag("lenient-dates", "mend dates that are not written in FHIR's way, and list them"),
            .option("offset", "±HH:MM|Z", "with --lenient-dates: the offset of times that have none"),
            .flag("quiet", "print neither progress nor summary"),
        ],
        operands: "PATH…", operandCount: CommandDefinition.anyNumber,
        discussion: """
            A PATH is an NDJSON file (a resource on each line), a JSON file with one resource or a list of them, or a Bundle;
            - is standard input. What gzip has compressed is read as what it was. A PATH that is a folder stands for the
            files in it, and in its folders, that end in .ndjson, .jsonl or .json, with or without .gz. The database is made
            if it is not there. A resource whose type and id are stored already replaces that one; one without an id is
            added. Of several with one type and id in a file the last counts; "superseded" says how many others there were,
            where they come close to each other, and versions of a history before the last. The numbers of the summary
            are together those of the resources that were read.

            The entries of a Bundle are stored one by one. References by urn:uuid: or fullUrl become Type/id, and an
            entry without an id gets that of its fullUrl. Entries without a resource are passed over.

            What a server says about a search (entry.search.mode outcome) is printed in codes, counted and not stored.

            With --lenient-dates a date, dateTime, instant or time that is not FHIR's is read as follows, and a line on
            standard error names each that was changed. Any other is rejected, as without the option.
              2020-1-5, 2020/01/05, 2020.1.5, 20200105   2020-01-05; 2020/1 becomes 2020-01
              2020-01-05 9:30+0100, …t09:30:00 +01       2020-01-05T09:30:00+01:00: T, two digits, seconds, a full offset
              20200105093015Z                            2020-01-05T09:30:15Z
              2020-01-05T09:30:15,25Z                    2020-01-05T09:30:15.25Z
              2020-01-05T09:30:00                        gets the offset that --offset names; is rejected without it
              2020-01-05T00:00:00 for a date             2020-01-05, whatever the offset; other times are rejected
              9:30 for a time                            09:30:00

            Each file is one transaction. With --on-error stop the first text that cannot be read ends the import, with
            nothing of its file stored. With skip it goes to the rejects file, a line of NDJSON with "file", "line",
            "reason" and "text", and everything else is stored.

            Example: firelite import --database health.sqlite --on-error skip *.ndjson bulk.ndjson.gz folder
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
            release: database.release, stopsAtFault: onError == "stop", keepsBundles: arguments.has("whole-bundles"),
            dates: try Self.dates(arguments))
    }

    private static func dates(_ arguments: ParsedArguments) throws -> DateMender? {
        let offset = arguments["offset"]
        guard arguments.has("lenient-dates") else {
            if offset != nil { throw ToolError.usage("--offset is given without --lenient-dates") }
            return nil
        }
        if let offset, FHIRDateTime("2020-01-01T00:00:00\(offset)") == nil {
            throw ToolError.usage("--offset is '\(offset)', neither Z nor of the form +01:00")
        }
        return DateMender(offset: offset)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let inputs = try sources.flatMap { source in
            if source == "-" { return [ImportSource.standardInput(console.standardInput)] }
            let paths = InputFolder.isFolder(source) ? try InputFolder.files(in: source) : [source]
            return paths.map { ImportSource.file(path: $0) }
        }
        let total = try Self.totalSize(inputs)
        try checkRejectsPath(inputs)
        let store = try database.create()
        let rejects = try rejectsFile()
        let progress = console.errorIsTerminal && !isQuiet ? ProgressLine(console.standardError, total: total) : nil
        var importer = Importer(store: store, options: options, rejects: rejects, progress: progress, report: console.report)
        var preparation = TablePreparation(store: store, options: options)
        let result = Result {
            for (index, input) in inputs.enumerated() {
                try database.located {
                    try preparation.prepare(inputs, from: index)
                    try importer.run(input)
                }
            }
        }
        // What was rejected is of use however the import ended.
        let rejected = Result { try rejects?.finish() }
        try progress?.clear()
        var fault: ImportFault?
        do { try result.get() } catch let error as ImportFault { fault = error }
        try rejected.get()
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
            // How much compressed content there is, nobody knows before.
            case S_IFREG where !path.lowercased().hasSuffix(".gz"): total = total.map { $0 + Int(status.st_size) }
            default: total = nil
            }
        }
        return inputs.contains { if case .standardInput = $0 { true } else { false } } ? nil : total
    }

    /// The rejects file is replaced, so it must not be one that is read, nor the database.
    private func checkRejectsPath(_ inputs: [ImportSource]) throws {
        guard let rejectsPath else { return }
        if inputs.contains(where: { if case .file(let path) = $0 { FileTarget.isSame(path, rejectsPath) } else { false } }) {
            throw ToolError.usage("--rejects is \(rejectsPath), which is read: name another file")
        }
        if FileTarget.isPart(rejectsPath, of: database.path) {
            throw ToolError.usage("--rejects is \(rejectsPath), the database itself or a part of it: name another file")
        }
    }

    /// A file that was asked for is there even if nothing is rejected.
    private func rejectsFile() throws -> RejectsFile? {
        if let rejectsPath {
            let file = RejectsFile(path: rejectsPath, database: database.path)
            try file.create()
            return file
        }
        return options.stopsAtFault ? nil : RejectsFile(path: database.path + "-rejects.ndjson", database: database.path)
    }
}

import FireLite
import Foundation

/// `firelite import`: stores the resources of files.
struct ImportCommand: Command {
    static let definition = CommandDefinition(
        name: "import", summary: "store the resources of NDJSON, JSON and XML files, Bundles and folders of them",
        options: DatabaseArgument.creatingOptions + [
            KeyringFile.option,
            .option("on-error", "stop|skip", kind: .choice(["stop", "skip"]), "what to do about unreadable text (default: stop)"),
            InputArguments.rejects,
            .flag("whole-bundles", "store a Bundle as one resource"),
            .flag("lenient-dates", "correct dates that are not in FHIR's format, and list them"),
            .option("offset", "±HH:MM|Z", "with --lenient-dates: the offset of times that have none"),
            .flag("from-server", "store them as a server's: the log of changes does not list them"),
            .flag("no-page-checksums", "create the database without page checksums, for other programs to write to"),
            InputArguments.quiet,
        ],
        operands: "PATH…", operandCount: CommandDefinition.anyNumber, operandKinds: [.file],
        jsonKeys: InputArguments.jsonKeys(),
        discussion: """
            A PATH is an NDJSON file (a resource on each line), a JSON file with one resource or a list of them, an XML file
            with one resource, or a Bundle; - is standard input. Files compressed with gzip are unpacked. A PATH that is a
            folder stands for all files in it and in its folders that end in .ndjson, .jsonl, .json or .xml, with or without
            .gz. The database is created if it does not exist. A resource replaces the stored one with the same type and id; one
            without an id is added. If several in a file have the same type and id, the last one counts. "superseded" counts the
            others, if they are close to each other, and versions of a history before the last. The numbers of the summary add
            up to the number of resources read.

            The entries of a Bundle are stored one by one. References by urn:uuid: or fullUrl become Type/id, and an
            entry without an id gets that of its fullUrl. Entries without a resource are skipped.

            A server's OperationOutcomes about a search (entry.search.mode outcome) are counted, and their codes are printed; they
            are not stored.

            With --lenient-dates a date, dateTime, instant or time that is not in FHIR's format is corrected as follows, and a line
            on standard error names each one that was changed. Any other is rejected, as without the option.
              2020-1-5, 2020/01/05, 2020.1.5, 20200105   2020-01-05; 2020/1 becomes 2020-01
              2020-01-05 9:30+0100, …t09:30:00 +01       2020-01-05T09:30:00+01:00: T, two digits, seconds, a full offset
              20200105093015Z                            2020-01-05T09:30:15Z
              2020-01-05T09:30:15,25Z                    2020-01-05T09:30:15.25Z
              2020-01-05T09:30:00                        gets the offset of --offset; is rejected without it
              2020-01-05T00:00:00 for a date             2020-01-05, whatever the offset; other times are rejected
              9:30 for a time                            09:30:00

            Each file is one transaction. With --on-error stop the first unreadable text ends the import, and
            nothing from its file is stored. With skip it goes to the rejects file, a line of NDJSON with "file", "line",
            "reason" and "text", which is empty for XML, and everything else is stored.

            With --from-server the log of changes (firelite track) does not list what is added or replaced, as the server
            knows it. The history keeps its versions all the same.

            A new database has a checksum in every page, and is refused if another program has written to it (firelite reseal
            accepts the file again). --no-page-checksums creates one without them; it is an error if the database exists.

            Example: firelite import --database health.sqlite --on-error skip *.ndjson bulk.ndjson.gz folder
            """)

    private let database: DatabaseArgument
    private let input: InputArguments
    private let options: ContentOptions
    private let origin: WriteOrigin
    private let checksPages: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        input = try InputArguments(arguments)
        origin = arguments.has("from-server") ? .server : .local
        checksPages = !arguments.has("no-page-checksums")
        let onError = arguments["on-error"] ?? "stop"
        guard onError == "stop" || onError == "skip" else { throw ToolError.usage("--on-error is '\(onError)', neither stop nor skip") }
        options = ContentOptions(
            release: database.release, stopsAtFault: onError == "stop", keepsBundles: arguments.has("whole-bundles"),
            dates: try Self.dates(arguments))
    }

    private static func dates(_ arguments: ParsedArguments) throws -> DateMender? {
        let offset = arguments["offset"]
        guard arguments.has("lenient-dates") else {
            if offset != nil { throw ToolError.usage("--offset needs --lenient-dates") }
            return nil
        }
        return try dates(offset: offset)
    }

    /// - Throws: `ToolError` with status 2 if the offset is not one.
    static func dates(offset: String?) throws -> DateMender {
        if let offset, FHIRDateTime("2020-01-01T00:00:00\(offset)") == nil {
            throw ToolError.usage("--offset is '\(offset)', neither Z nor of the form +01:00")
        }
        return DateMender(offset: offset)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let inputs = try ImportSource.all(input.sources, standardInput: console.standardInput)
        let total = try ImportSource.totalSize(inputs)
        try ImportSource.checkOutput(input.rejects, inputs)
        let rejects = try rejectsFile()
        let store = try database.create(checksPages: checksPages)
        // A requested file is created even if nothing is rejected.
        if input.rejects != nil { try rejects?.create() }
        let progress = console.errorIsTerminal && !input.isQuiet ? ProgressLine(console.standardError, total: total) : nil
        var importer = Importer(
            store: store, options: options, origin: origin, rejects: rejects, progress: progress, report: console.report)
        let result = Result { try database.located { try importer.run(inputs) } }
        // The rejects file is kept even if the import failed.
        let rejected = Result { try rejects?.finish() }
        try progress?.clear()
        var fault: ImportFault?
        do { try result.get() } catch let error as ImportFault { fault = error }
        try rejected.get()
        if !input.isQuiet { try console.print(importer.counts.report(start.duration(to: clock.now)), asJSON: input.isJSON) }
        if let fault { throw fault }
        guard importer.counts.rejected > 0 else { return .done }
        let number = importer.counts.rejected
        throw ToolError.incomplete("\(number) rejected: see \(rejects?.output.path ?? "")")
    }

    /// The file of `--rejects`, or the one beside the database.
    private func rejectsFile() throws -> NDJSONFile? {
        if input.rejects == nil, options.stopsAtFault { return nil }
        return NDJSONFile(try input.rejects ?? database.rejects(), database: database.path)
    }
}

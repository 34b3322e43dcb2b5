import FireLite
import FireLiteTerminal
import Foundation

/// `firelite migrate`: stores what an app on FireKit has exported.
struct MigrateCommand: Command {
    static let definition = CommandDefinition(
        name: "migrate", summary: "store the JSON that an app on FireKit and Realm has exported",
        options: [
            .option("database", "FILE", kind: .output(.database), "the SQLite file; not needed with --dry-run"),
            DatabaseArgument.release,
            KeyFile.option.needing(CommandDefinition.database),
            .flag("dry-run", "read everything, store nothing, and print the counts"),
            .option("report", "FILE", kind: .output(.lines(.mends)), "list each mended place in this file, without values"),
            InputArguments.rejects,
            .option("type", "T", kind: .resourceType, "the type of resources that neither they nor their file's name tell"),
            .option("offset", "±HH:MM|Z", "the offset of times that have none, and the zone of dates as numbers (default: Z)"),
            .option("date-numbers", "2001|1970|1970-ms", "what dates as numbers count (default: 2001, seconds)"),
            InputArguments.quiet,
        ],
        operands: "PATH…", operandCount: CommandDefinition.anyNumber, operandKinds: [.file],
        jsonKeys: InputArguments.jsonKeys(added: "the number of new resources; with --dry-run of readable ones") + [
            JSONKey("mended", "what was mended: kind, and the number of places")
        ],
        discussion: """
            A PATH is what import reads: NDJSON, a resource, a list of resources, a Bundle, a folder, gzip, or - for standard
            input. Also read is an object with a list for each class, {"Patient": […], "Observation": […]}, as Realm Studio
            saves it. A resource without resourceType has the type in the name of its file, of the file's folder or of its
            list, or that of --type.

            These differences from FHIR's JSON are mended:
              local member              pk and _versionId are removed
              null, empty list, empty object
                                        removed
              wrapper                   {"value": "Ann"} and Realm's objects for dates and times become the value
              name                      extension_fhir becomes extension
              cardinality               a list of one where FHIR has one value, and one value where it has a list
              date                      the notations of import --lenient-dates, and offsets without a colon
              date as number            seconds since 2001, unless --date-numbers says otherwise; for a date without a time the
                                        midnight of a day, in UTC or the zone of --offset
              number as text, decimal   "1.5" becomes 1.5, and 6.2999999999999998, a binary 6.3, becomes 6.3
              contained                 a resource as base64 text becomes the resource
              missing resourceType      added, as above
              missing id                the pk, or else content- and a digest of the resource
              row of an element         skipped in an object with a list for each class: its resource has it too
            The summary counts them by kind, and --report lists them with file, line, resource and path.

            A resource replaces the stored one with the same type and id, so migrating again changes nothing. What is not
            FHIR R4 after mending, such as a MedicationOrder of DSTU2, goes to the rejects file, a line of NDJSON with "file",
            "line", "reason", "resource" and "text", and everything else is stored. Each file is one transaction.

            Examples: firelite migrate --dry-run exported
                      firelite migrate --database health.sqlite --report mended.ndjson exported realm.json
            """)

    private let database: DatabaseArgument
    private let input: InputArguments
    private let options: ContentOptions
    private let isDryRun: Bool
    private let report: OutputPath?

    init(_ arguments: ParsedArguments) throws {
        isDryRun = arguments.has("dry-run")
        if !isDryRun, !arguments.has("database") { throw ToolError.usage("give --database FILE or --dry-run") }
        database = try DatabaseArgument(arguments, path: "-")
        input = try InputArguments(arguments)
        if isDryRun, input.rejects != nil { throw ToolError.usage("--rejects and --dry-run are given: choose one") }
        report = arguments.output("--report")
        if let type = arguments["type"] { _ = try database.resourceLayout(named: type) }
        let numbers = arguments["date-numbers"] ?? DateNumbers.secondsSince2001.rawValue
        guard let dateNumbers = DateNumbers(rawValue: numbers) else {
            throw ToolError.usage("--date-numbers is '\(numbers)', not 2001, 1970 or 1970-ms")
        }
        let dates = try ImportCommand.dates(offset: arguments["offset"])
        options = ContentOptions(
            release: database.release, stopsAtFault: false,
            mender: FireKitFiles(
                mender: FireKitMender(release: database.release, dates: dates, dateNumbers: dateNumbers), typeName: arguments["type"]))
    }

    func run(_ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let inputs = try ImportSource.all(input.sources, standardInput: console.standardInput)
        let total = try ImportSource.totalSize(inputs)
        for output in [input.rejects, report] { try ImportSource.checkOutput(output, inputs) }
        let report = try report.map { output in
            let file = NDJSONFile(output, database: database.path)
            try file.create()
            return file
        }
        var mends = MendCounts()
        func note(_ places: [MendedPlace]) throws {
            mends.add(places)
            try report?.append(places)
        }
        let outcome = Result {
            isDryRun ? try rehearse(inputs, console, note) : try store(inputs, total: total, console: console, note: note)
        }
        // The report is kept even if the migration failed.
        try report?.finish()
        let (counts, rejects) = try outcome.get()
        if !input.isQuiet {
            let duration = start.duration(to: clock.now)
            var report = isDryRun ? Self.report(counts, duration) : counts.report(duration)
            mends.add(to: &report)
            try console.print(report, asJSON: input.isJSON)
        }
        guard counts.rejected > 0 else { return .done }
        throw ToolError.incomplete(rejects.map { "\(counts.rejected) rejected: see \($0)" } ?? "\(counts.rejected) would be rejected")
    }

    private static func report(_ counts: ImportCounts, _ duration: Duration) -> Report {
        var report = Report()
        report.addLine([
            .init("added", .number(counts.added), label: "readable"), .init("updated", .number(0), isShown: false),
            .init("unchanged", .number(0), isShown: false), .init("superseded", .number(counts.superseded), isShown: counts.superseded > 0),
            .init("outcomes", .number(counts.outcomes), isShown: counts.outcomes > 0), .init("rejected", .number(counts.rejected)),
            .init("seconds", .seconds(duration)),
        ])
        return report
    }

    private typealias Outcome = (counts: ImportCounts, rejects: String?)

    private func store(
        _ inputs: [ImportSource], total: Int?, console: Console, note: @escaping ([MendedPlace]) throws -> Void
    ) throws -> Outcome {
        let rejects = NDJSONFile(try input.rejects ?? database.rejects(), database: database.path)
        let store = try database.create()
        if input.rejects != nil { try rejects.create() }
        let progress = console.errorIsTerminal && !input.isQuiet ? ProgressLine(console.standardError, total: total) : nil
        var importer = Importer(
            store: store, options: options, rejects: rejects, progress: progress, report: console.report, noteMends: note)
        let result = Result { try database.located { try importer.run(inputs) } }
        let rejected = Result { try rejects.finish() }
        try progress?.clear()
        try result.get()
        try rejected.get()
        return (importer.counts, rejects.output.path)
    }

    /// Reads everything and stores nothing. Resources that can be read count as added.
    private func rehearse(_ inputs: [ImportSource], _ console: Console, _ note: @escaping ([MendedPlace]) throws -> Void) throws -> Outcome
    {
        var counts = ImportCounts()
        for source in inputs {
            let reader = ImportReader(try InputFile(source), options: options, digest: { _ in (0, 0) }) { batch in
                counts += ImportCounts(
                    added: batch.resources.count, rejected: batch.faults.count, superseded: batch.superseded, outcomes: batch.outcomes)
                for line in batch.notes { console.report(line) }
                try note(batch.mends)
            }
            try reader.run()
        }
        return (counts, nil)
    }
}

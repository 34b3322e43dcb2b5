import FireLite
import FireLiteSampleSync
import FireLiteSamples
import Foundation

/// `firelite samples`: imports samples of devices, sends them on, prints statistics and mends the table of samples.
struct SamplesCommand: Command {
    static let definition = CommandDefinition(
        name: "samples", summary: "import device samples as Observations, send them on, print statistics",
        options: DatabaseArgument.creatingOptions + [
            .option("map", "FILE", kind: .file, "with import and push: codes and units as JSON, merged over the standard mapping")
                .only("import", "push"),
            .option("subject", "REFERENCE", "with import and push: whom the samples are about, such as Patient/1").only("import", "push"),
        ] + ServerArgument.sending(with: "push") + [
            .option("output", "FILE|-", kind: .output(.lines(.events)), "with events: the file for the events; - is standard output")
                .only("events"),
            .option(
                "type", "NAME", isRepeatable: true,
                "with push, events, stats: a type such as heartRate; stats needs one (default: all)"
            ).only("push", "events", "stats"),
            .option(
                "by", "INTERVAL", kind: .choice(SampleIntervalName.allCases.map(\.rawValue)),
                "with stats: hour, day, week, month or whole (default: day)"
            ).only("stats"),
            .option("from", "TIME", "with stats: the first moment (default: the first sample's)").only("stats"),
            .option("until", "TIME", "with stats: the end (default: the last sample's)").only("stats"),
            .option("zone", "NAME", "with stats: the time zone, such as Europe/Berlin (default: the system's)").only("stats"),
            .option("source", "NAME", isRepeatable: true, "with stats: sources whose amounts count, the first one first").only("stats"),
        ],
        operands: "import|push|events|stats|refresh [FILE]", operandCount: 1...2,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .file],
        jsonKeys: [
            JSONKey("read", "the number of samples that were read"),
            JSONKey("added", "the number of samples that were added"),
            JSONKey("updated", "the number of samples that were updated; with refresh, those that were not up to date"),
            JSONKey("deleted", "the number of samples that were deleted"),
            JSONKey("unchanged", "the number of samples that were there already"),
            JSONKey("rejected", "the number of records that are no samples and were skipped"),
            JSONKey("waiting", "why requests wait in the outbox, if they do"),
            JSONKey("events", "the number of events that were written"),
            JSONKey("intervals", "a list: start, end, count, min, max, mean, sum"),
            JSONKey("seconds", "the duration"),
        ],
        list: ListDefinition(key: "intervals", actions: ["stats"], rowKeys: ["start"]),
        discussion: """
            import reads FILE: Apple's export.xml or the zip with it, or NDJSON with samples or Open mHealth data points; of a
            folder, all such files in it. A second import of the same file, or of a later export, adds only what is new. Records
            that are not samples are skipped and listed; the exit status is 1 then. push sends the samples in the database to
            --server, events writes them to --output as events for an IoMT connector, one JSON object per line. The exit status
            is 3 if the server cannot be reached; the requests wait in the outbox then. The server has to accept transactions:
            firelite sync and firelite push send the same Observations to those that do not.

            stats prints figures by interval, in the mapping's unit. Amounts, such as steps, count once where several
            sources overlap: name the sources by --source, the most reliable first. On a terminal it draws the means,
            or sums of amounts, as a line of blocks.

            refresh makes the table of samples match the Observations again, where check says that it does not. It reads
            all Observations of samples.

            Examples: firelite samples import export.xml --database health.sqlite
                      firelite samples stats --database health.sqlite --type heartRate --by day
                      firelite samples refresh --database health.sqlite
            """)

    enum Action: String, CaseIterable {
        case `import`, push, events, stats, refresh
    }

    private let database: DatabaseArgument
    private let action: Action
    private let file: String?
    private let server: ServerArgument?
    private let mapPath: String?
    private let subject: String?
    private let output: OutputPath?
    private let types: [String]
    private let interval: SampleIntervalName
    private let span: (from: Date?, until: Date?)
    private let zone: TimeZone
    private let sources: [String]
    private let isJSON: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else { throw ToolError.usage("'\(verb)' is not import, push, events, stats or refresh") }
        self.action = action
        file = arguments.operands.dropFirst().first
        server = arguments.has("server") ? try ServerArgument(arguments) : nil
        mapPath = arguments["map"]
        subject = arguments["subject"]
        output = arguments.output("--output")
        types = arguments.all("type")
        sources = arguments.all("source")
        isJSON = arguments.has("json")
        listing = try Listing(arguments, Self.definition)
        let by = arguments["by"] ?? "day"
        guard let interval = SampleIntervalName(rawValue: by) else {
            throw ToolError.usage("--by is '\(by)', not hour, day, week, month or whole")
        }
        self.interval = interval
        if let name = arguments["zone"] {
            guard let zone = TimeZone(identifier: name) else {
                let near = NearWords.nearest(to: name, among: TimeZone.knownTimeZoneIdentifiers)
                throw ToolError.usage(
                    "--zone is '\(name)', not a time zone\(near.map { ": did you mean '\($0)'?" } ?? " such as Europe/Berlin")")
            }
            self.zone = zone
        } else {
            zone = .current
        }
        span = (try SignerArgument.moment(arguments, "from"), try SignerArgument.moment(arguments, "until"))
        if action == .import, file == nil { throw ToolError.usage("import needs the name of a file") }
        if action != .import, let file { throw ToolError.usage("unexpected argument '\(file)'") }
        if action == .push, server == nil { throw ToolError.usage("push needs --server") }
        if action == .events, output == nil { throw ToolError.usage("events needs --output, a file or -") }
        if action == .events, output?.isStandardOutput == true, isJSON { throw ToolError.usage("--json needs a file as --output") }
        if action == .stats, types.count != 1 { throw ToolError.usage("stats needs one --type, such as heartRate") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let work = SamplesWork(console: console, isJSON: isJSON)
        do {
            switch action {
            case .import:
                let sources = try SampleFile.sources(URL(fileURLWithPath: file ?? ""), skipsDamage: true).map {
                    (path: String?.some($0.url.relativePath), source: $0.source)
                }
                let store = try database.create()
                return try work.transfer(store, sources, [LocalStore(store, mapping: mapping())], readsAgain: true)
            case .push:
                guard let server else { return .usage }
                let store = try database.open()
                let destination = FHIRExternalStore(try server.client(database.release), mapping: try mapping())
                return try work.transfer(store, StoredSamples(store, types: try chosen(store)), [destination])
            case .events:
                guard let output else { return .usage }
                let store = try database.openForReading()
                return try work.writeEvents(of: store, types: chosen(store), to: output)
            case .stats:
                let store = try database.openForReading()
                guard let type = try chosen(store)?.first else { return .usage }
                return try work.printStatistics(
                    of: store, type, interval: interval, span: span, zone: zone, sources: sources, listing: listing)
            case .refresh:
                let store = try database.open()
                return try database.located { try work.refresh(store) }
            }
        } catch let error as SampleError {
            switch error.code {
            case .invalidArgument: throw ToolError.usage(error)
            case .file, .unreachable, .refused: throw ToolError.failed(error)
            default: throw ToolError.incomplete(error)
            }
        }
    }

    private func mapping() throws -> SampleMapping {
        var mapping = SampleMapping.standard
        if let mapPath {
            let data = try FileContents.bytes(of: mapPath)
            do { mapping = try mapping.merging(json: data) } catch let error as SampleError {
                throw ToolError.incomplete("\(mapPath): \(ToolWords.text(of: error))")
            }
        }
        mapping.subject = subject
        return mapping
    }

    /// The types that `--type` names: by their full names, or as `heartRate` or `HeartRate`; nil for all.
    private func chosen(_ store: FHIRStore) throws -> [SampleType]? {
        guard !types.isEmpty else { return nil }
        let known = try database.located { try store.read { try $0.sampleTypes().map(\.type) } } + SampleMapping.standard.entries.keys
        return try types.map { name in
            guard let type = known.first(where: { $0.rawValue == name || $0.shortName.lowercased() == name.lowercased() }) else {
                let hint = NearWords.hint(for: name, among: known.map(\.shortName).sorted())
                throw ToolError.usage("'\(name)' is not a type of samples\(hint)")
            }
            return type
        }
    }
}

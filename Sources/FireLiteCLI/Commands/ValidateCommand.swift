import FireLite
import FireLiteKnowledge
import FireLiteTerminal
import Foundation

/// `firelite validate`: checks resources against FHIR's definitions.
struct ValidateCommand: Command {
    static let definition = CommandDefinition(
        name: "validate", summary: "check resources in files or in a database against FHIR's rules and profiles",
        options: [
            .option("database", "FILE", kind: .database, "check the resources in this SQLite file; FIRELITE_DATABASE can name it"),
            .option("type", "T", kind: .resourceType, isRepeatable: true, "with --database: a resource type to check (default: all)")
                .needing(CommandDefinition.database),
            DatabaseArgument.release,
            KeyFile.option.needing(CommandDefinition.database),
        ] + KnowledgeArguments.options + [
            .option("profile", "URL|FILE", kind: .file, isRepeatable: true, "a profile that each resource must conform to"),
            .flag("best-practice", "also report recommendations, and absent elements marked mustSupport"),
            ListFormat.option(standard: "table on a terminal, json otherwise"), ListFormat.spreadsheet,
            .option("limit", "N", "print at most N issues; all are found and counted"),
            .option("skip", "N", "leave out the first N issues"),
            .flag("json", "print an OperationOutcome, as --format json does"),
            .flag("quiet", "print nothing: the exit status tells whether there are errors"),
        ],
        operands: "PATH…", operandCount: 0...Int.max, operandKinds: [.file], needsDatabase: { _, operands in operands == 0 },
        discussion: """
            A PATH is an NDJSON file, a JSON or XML file with one resource, a Bundle, or a folder with such files, as for
            import; - is standard input. Nothing is stored. The command checks the JSON or XML, cardinalities, codes, the
            formats of primitives, references, the constraints of the definitions, the rules for Bundles, Questionnaires and
            their responses, extensions, contained resources and terminology, and the profiles in meta.profile as far as
            packages, files or the packages in the database define them. A profile that is not known is a warning; with
            --profile it ends the command.

            Output names positions, never values: the file and line or the resource, the FHIR path, and what is expected there.
            --format json prints them as an OperationOutcome on one line.

            The exit status is 1 if there is an error or no resource at all, 0 if there are only warnings, and 3 if a
            definition cannot be read.

            Examples: firelite validate bundle.json
                      firelite validate --database health.sqlite --type Patient
                      firelite validate --package us-core-6.1.0.tgz patient.json
            """)

    private let sources: [String]
    private let database: DatabaseArgument?
    private let types: [String]
    private let release: FHIRRelease
    private let format: ListFormat?
    private let isForSpreadsheet: Bool
    private let part: (skip: Int, limit: Int)
    private let isQuiet: Bool
    private let cores: Int
    private let knowledge: KnowledgeArguments
    private let profiles: [String]
    private let options: ValidationOptions

    init(_ arguments: ParsedArguments) throws {
        sources = arguments.operands
        let isStored = arguments.has("database")
        // Files have a release too.
        let argument = try DatabaseArgument(arguments, path: "-")
        release = argument.release
        database = isStored ? argument : nil
        types = arguments.all("type")
        for type in types { _ = try argument.resourceLayout(named: type) }
        guard isStored != !sources.isEmpty else { throw ToolError.usage("give either PATH… or --database FILE (or FIRELITE_DATABASE)") }
        try ImportSource.checkOperands(sources)
        format = try arguments.format()
        isForSpreadsheet = try arguments.isForSpreadsheet(format)
        part = (try arguments.number("skip", in: 0...Int.max) ?? 0, try arguments.number("limit", in: 0...Int.max) ?? Int.max)
        isQuiet = arguments.has("quiet")
        cores = arguments.cores
        if isQuiet, format != nil { throw ToolError.usage("--quiet and a format are given: choose one") }
        knowledge = KnowledgeArguments(arguments)
        profiles = arguments.all("profile")
        var options = ValidationOptions()
        options.bestPractice = arguments.has("best-practice")
        options.reportsMustSupport = options.bestPractice
        self.options = options
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database?.openForReading()
        // The definitions of its packages are read when they are needed.
        defer { withExtendedLifetime(store) {} }
        let (validator, urls) = try knowledge.validator(release, store, profiles: profiles, options: options)
        for skipped in isQuiet ? [] : validator.knowledge.skippedFiles { console.report("left out: \(skipped)") }
        let format = isQuiet ? nil : format ?? (console.outputIsTerminal ? .table : .json)
        let report = try ValidationReport(console, as: format, isForSpreadsheet: isForSpreadsheet, part: part)
        let rules = ValidationRules(validator: validator, profiles: urls)
        if let database, let store {
            try validate(database, store, rules, report)
        } else {
            try validate(ImportSource.all(sources, standardInput: console.standardInput), rules, report)
        }
        try report.finish(console)
        // A file that lost its content must not pass.
        if database == nil, report.resources == 0, report.errors == 0 { throw ToolError.incomplete("there are no resources to check") }
        guard report.errors > 0 else { return .done }
        if isQuiet { return .incomplete }
        let (errors, resources) = (Figures.count(report.errors), Figures.count(report.resources))
        throw ToolError.incomplete(
            "\(errors) error\(report.errors == 1 ? "" : "s") in \(resources) resource\(report.resources == 1 ? "" : "s")")
    }

    private func validate(
        _ database: DatabaseArgument, _ store: FHIRStore, _ rules: ValidationRules, _ report: ValidationReport
    ) throws {
        try database.located {
            try store.forEach(
                typeNames: { types.isEmpty ? try $0.counts().map(\.typeName) : types },
                transform: { resource in
                    let (type, id, pk) = (resource.resourceType, resource.id, resource.pk)
                    return (place: id.map { "\(type)/\($0)" } ?? "\(type) with pk \(pk)", issues: try rules.issues(of: resource))
                }
            ) { resource in
                try report.add(resource.issues) { _ in resource.place }
            }
        }
    }

    /// This thread reads one file after another, and all of them validate what it has read.
    private func validate(_ sources: [ImportSource], _ rules: ValidationRules, _ report: ValidationReport) throws {
        let options = ContentOptions(release: release, stopsAtFault: false, keepsBundles: true)
        var lines: (source: Int, of: SourceLines)?
        func add(_ part: CheckedPart) throws {
            for fault in part.faults { try report.add(fault) }
            let source = sources[part.source]
            if lines?.source != part.source { lines = (part.source, SourceLines(source)) }
            try part.resources.passOn { resources in
                for resource in resources {
                    try report.add(resource.issues) { path in
                        "\(source.name): line \(try lines?.of.line(of: path, from: resource.line) ?? resource.line)"
                    }
                }
            }
        }
        try OrderedWorkers.run(onCores: cores) { workers in
            let parts = OrderedWorkers.Values<CheckedPart>(of: workers, ())
            try parts.passOnAll(add) {
                for (index, source) in sources.enumerated() {
                    if case .file(let path) = source, ImportSource.isDatabase(path) {
                        throw ToolError.usage("\(path) is a database: validate what is in it with --database \(path)")
                    }
                    let reader = ImportReader(
                        try InputFile(source), options: options, digest: { _ in (0, 0) },
                        deliver: { batch in
                            let faults = batch.faults.map(\.fault)
                            if !faults.isEmpty { try parts.add({ _ in CheckedPart(source: index, faults: faults) }, add) }
                            for start in stride(from: 0, to: batch.resources.count, by: Self.resourcesPerPart) {
                                let range = start..<min(start + Self.resourcesPerPart, batch.resources.count)
                                try parts.add({ _ in CheckedPart(source: index, resources: rules.check(batch, range)) }, add)
                            }
                        })
                    try reader.run()
                }
            }
        }
    }

    /// Enough that handing them over costs nothing beside validating them.
    private static let resourcesPerPart = 32
}

/// What was found in some resources of a file.
private struct CheckedPart: Sendable {
    /// The index of the file.
    let source: Int
    var faults: [ImportFault] = []
    var resources = PartialResult<[CheckedResource]>([])
}

private typealias CheckedResource = (line: Int, issues: [ValidationIssue])

/// What resources are validated by, on any thread.
private struct ValidationRules: Sendable {
    let validator: FHIRValidator
    /// The profiles that each resource must conform to.
    let profiles: [String]

    /// The issues of a resource; remarks are for who asks for them.
    ///
    /// - Throws: `ToolError` with status 3 if a definition cannot be read: nothing is known about the resource then.
    func issues(of resource: FHIRResource) throws -> [ValidationIssue] {
        do {
            let issues = try validator.validate(resource, against: profiles)
            return validator.options.bestPractice ? issues : issues.filter { $0.severity != .information }
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        }
    }

    func check(_ batch: ImportBatch, _ range: Range<Int>) -> PartialResult<[CheckedResource]> {
        PartialResult<[CheckedResource]> { checked in
            for index in range { checked.append((batch.origins[index].place.line, try issues(of: batch.resources[index]))) }
        }
    }
}

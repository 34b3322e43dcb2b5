import FireLite
import FireLiteSync
import FireLiteTerminal
import Foundation

/// What `sync`, `pull` and `push` have in common.
struct SyncWork {
    static func options(_ direction: SyncDirection) -> [OptionDefinition] {
        let conflicts = OptionDefinition.option(
            "conflicts", "merge|client|server|defer", kind: .choice(["merge", "client", "server", "defer"]),
            "what to do about resources that both sides have changed (default: merge)")
        return DatabaseArgument.creatingOptions + ServerArgument.options + [KeyringFile.option]
            + (direction == .push ? [conflicts] : [type, conflicts, prefetch, overlap, lenient]) + [
                .flag("dry-run", "count what would be done; change neither the database nor the server"),
                .flag("quiet", "print neither progress nor summary; notes go to standard error"),
            ]
    }

    private static let type = OptionDefinition.option(
        "type", "TYPE", kind: .resourceType, isRepeatable: true, "pull resources of this type only (default: all that the server has)")
    private static let prefetch = OptionDefinition.option(
        "prefetch", "STEPS", "also pull what references lead to, over 1 to 10 steps (default: none)")
    private static let overlap = OptionDefinition.option(
        "overlap", "SECONDS", "how much earlier than the newest known change a pull begins (default: 10)")
    private static let lenient = OptionDefinition.flag("lenient", "read resources that break FHIR's rules as far as possible")

    /// A push follows no references and asks for no deletions.
    static func jsonKeys(_ direction: SyncDirection) -> [JSONKey] {
        allKeys.filter { direction != .push || !pullKeys.contains($0.name) }
    }

    private static let pullKeys = ["prefetched", "missing", "typesWithoutDeletions"]

    private static let allKeys = [
        JSONKey("pulled", "the resources that were pulled; with --dry-run those that would be, if the server says"),
        JSONKey("pulledDeletions", "the number of resources deleted in the database because the server has deleted them"),
        JSONKey("prefetched", "with --prefetch: how many of the pulled resources references have led to"),
        JSONKey("missing", "with --prefetch: a list of what the server does not give: type, id, reason, status"),
        JSONKey("withheld", "the number of resources that the server counts and has not sent; null with --dry-run"),
        JSONKey("unreadable", "a list of what cannot be read: type, id, version, reason; null with --dry-run"),
        JSONKey("created", "the number of resources created at the server"),
        JSONKey("updated", "the number of resources changed at the server"),
        JSONKey("deleted", "the number of resources deleted at the server"),
        JSONKey("resolved", "the number of conflicts that were resolved"),
        JSONKey("deferred", "the number of conflicts that were deferred, of this and earlier runs"),
        JSONKey("parked", "the number of changes that the server has refused, of this and earlier runs"),
        JSONKey("undecided", "the number of resources about which nobody knows whether they were deleted in the database"),
        JSONKey("damaged", "the number of resources not sent, as the database cannot read them; null with --dry-run"),
        JSONKey("held", "the number of changes that were not sent because of what they refer to; null with --dry-run"),
        JSONKey(
            "waiting",
            "a list of what waits: type, id, state, status, issues (codes); null with --dry-run"),
        JSONKey(
            "typesWithoutDeletions",
            "a list of types: the server does not say what was deleted there; null with --dry-run"),
        JSONKey("sealed", "a list of types: left alone without --keyring, as they are sealed; null with --dry-run"),
        JSONKey("seconds", "the duration"),
    ]

    static func discussion(_ direction: SyncDirection) -> String {
        direction == .push ? commonDiscussion : commonDiscussion + "\n\n" + pullDiscussion
    }

    private static let commonDiscussion = """
        The log of changes, which the first run switches on, lists what was changed in the database; the first run pushes
        everything. Pulled resources are not pushed back. The next run continues an interrupted one and changes nothing
        twice. One run per server and database is active at a time.

        --conflicts merge merges changes of different elements; if both sides have changed the same element, or one has
        deleted the resource, the conflict is deferred. client takes the database's state, server the server's, defer none.
        Deferred and refused changes stay in the database and are listed; the status is 1 then. A run with client or server
        also decides what earlier ones have deferred, client not what a server has not kept or lost when it was restored;
        `firelite conflicts` shows conflicts and resolves one. What is missing in the database, while its log does not
        say that it was deleted, is neither deleted at the server nor fetched: it is listed as undecided, and
        `firelite conflicts resolve` decides. A refused resource is sent again once it is edited. One that cannot be
        read in the database waits and is listed. A change that refers to a new resource that is deferred, refused or
        unreadable is held back with it, and listed too.
        """

    private static let pullDiscussion = """
        --prefetch 1 also reads the resources that pulled ones refer to, on the same server; 2 also those that these refer
        to, and so on. Later runs keep them up to date. Missing ones are listed and not asked for again.

        A resource that breaks FHIR's rules is not stored: it is listed with the reason, and the status is 1. It is read again
        when it changes, and with --lenient, which keeps what it can of it.

        A pull asks for what has changed since the newest change that it knows. Servers that show changes later than their
        dates say need an --overlap that is as long; with the longest one everything is pulled again.

        With --dry-run a database that does not exist counts as an empty one, and is not made.
        """

    /// What becomes of deferred conflicts.
    private enum Decision {
        case local, remote, deferred

        func apply(to synchronizer: Synchronizer) async throws {
            guard self != .deferred else { return }
            for conflict in try await synchronizer.changes(.conflict) {
                // Each run would send what the server drops, and replace what others have written since it was restored.
                if self == .local, conflict.issues.contains(where: { $0.isNotKept || $0.isOfRestoredServer }) { continue }
                try await synchronizer.resolve(conflict.typeName, id: conflict.id) { _ in self == .local ? .local : .remote }
            }
        }
    }

    private let database: DatabaseArgument
    private let server: ServerArgument
    private let direction: SyncDirection
    private let types: [String]
    private let conflicts: ConflictPolicy
    /// What becomes of conflicts that earlier runs have deferred.
    private let decision: Decision
    private let prefetch: Prefetch?
    private let overlap: Int?
    private let isLenient: Bool
    private let isDryRun: Bool
    private let isQuiet: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments, _ direction: SyncDirection) throws {
        database = try DatabaseArgument(arguments)
        server = try ServerArgument(arguments)
        self.direction = direction
        let database = database
        types = try arguments.all("type").map { try database.resourceLayout(named: $0).name }
        let policy = arguments["conflicts"] ?? "merge"
        switch policy {
        case "merge": (conflicts, decision) = (.merge(), .deferred)
        case "client": (conflicts, decision) = (.client, .local)
        case "server": (conflicts, decision) = (.server, .remote)
        case "defer": (conflicts, decision) = (.deferred, .deferred)
        default: throw ToolError.usage("--conflicts is '\(policy)', not merge, client, server or defer")
        }
        prefetch = try arguments.number("prefetch", in: 1...10).map { Prefetch(depth: $0) }
        overlap = try arguments.number("overlap", in: 0...1_000_000_000)
        isLenient = arguments.has("lenient")
        isDryRun = arguments.has("dry-run")
        isQuiet = arguments.has("quiet")
        isJSON = arguments.has("json")
        if isQuiet, isJSON { throw ToolError.usage("--quiet and --json are given: choose one") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let client = try server.client(database.release, readsLeniently: isLenient)
        let store = try isDryRun ? previewedStore() : database.create()
        var configuration = Synchronizer.Configuration()
        configuration.conflicts = conflicts
        configuration.prefetch = prefetch
        if let overlap { configuration.overlap = .seconds(overlap) }
        let scope = direction == .push ? SyncScope.nothing : types.isEmpty ? .everything : .types(types)
        let synchronizer = Synchronizer(store, client, scope: scope, configuration: configuration)
        return try isDryRun ? preview(synchronizer, console) : sync(synchronizer, store, console)
    }

    /// The database; an empty one in memory if a pull would make it. For a push there must be one, as it would have nothing to send.
    private func previewedStore() throws -> FHIRStore {
        guard direction != .push, !FileManager.default.fileExists(atPath: database.path) else { return try database.open() }
        return try FHIRStore.inMemory(release: database.release)
    }

    private func preview(_ synchronizer: Synchronizer, _ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let direction = direction
        let preview = try server.explaining { try awaiting { try await synchronizer.preview(direction) } }
        var report = Report()
        report.addNote("would be done:")
        report.addLine([
            .init("pulled", preview.toPull.map { .count($0) } ?? .none, isShown: direction != .push),
            .init("pulledDeletions", .none, isShown: false),
            .init("created", .count(preview.toCreate), isShown: direction != .pull),
            .init("updated", .count(preview.toUpdate), isShown: direction != .pull),
            .init("deleted", .count(preview.toDelete), label: "deleted there", isShown: direction != .pull),
            .init("resolved", .none, isShown: false), .init("deferred", .count(preview.conflicts), isShown: preview.conflicts > 0),
            .init("parked", .count(preview.parked), isShown: preview.parked > 0),
            .init("undecided", .count(preview.undecided), isShown: preview.undecided > 0), .init("damaged", .none, isShown: false),
            .init("held", .none, isShown: false),
            .init("seconds", .seconds(start.duration(to: clock.now)), isShown: false),
        ])
        let keys = ["withheld", "unreadable", "sealed", "waiting"] + (direction == .push ? [] : Self.pullKeys)
        for key in keys { report.addMember(key, .none) }
        if !isQuiet { try console.print(report, asJSON: isJSON) }
        return .done
    }

    private func sync(_ synchronizer: Synchronizer, _ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let line = console.errorIsTerminal && !isQuiet ? RedrawnLine(console.standardError) : nil
        let direction = direction
        let decision = decision
        let outcome = Result {
            try server.explaining {
                try awaiting {
                    try await decision.apply(to: synchronizer)
                    return try await synchronizer.sync(direction) { progress in line?.update(progress.line) }
                }
            }
        }
        line?.clear()
        let result = try outcome.get()
        let (pulls, pushes) = (direction != .push, direction != .pull)
        let unreadable = pulls ? try awaiting { try await synchronizer.unreadable() } : []
        let waiting = try awaiting {
            // What a push that has ended left behind is held back by what it refers to.
            let held = pushes ? try await synchronizer.changes(.pending) : []
            return try await synchronizer.changes(.conflict) + synchronizer.changes(.parked) + synchronizer.changes(.undecided) + held
        }
        let deferred = waiting.count { $0.state == .conflict }
        let parked = waiting.count { $0.state == .parked }
        let undecided = waiting.count { $0.state == .undecided }
        let damaged = waiting.count { WaitingItem($0, isHere: true).isDamaged }
        let unversioned = waiting.count { WaitingItem($0, isHere: true).isWithoutVersion }
        let held = waiting.count - deferred - parked - undecided - damaged
        var report = Report()
        let figures: [Report.Figure] = [
            .init("pulled", .count(result.pulled), isShown: pulls),
            .init("pulledDeletions", .count(result.pulledDeletions), label: "deleted here", isShown: pulls),
            .init("prefetched", .count(result.prefetched), isShown: prefetch != nil),
            .init("withheld", .count(result.missing), label: "counted and not sent by the server", isShown: result.missing > 0),
            .init("created", .count(result.created), isShown: pushes), .init("updated", .count(result.updated), isShown: pushes),
            .init("deleted", .count(result.deleted), label: "deleted there", isShown: pushes),
            .init("resolved", .count(result.resolved), isShown: result.resolved > 0),
            .init("deferred", .count(deferred), isShown: deferred > 0), .init("parked", .count(parked), isShown: parked > 0),
            .init("undecided", .count(undecided), isShown: undecided > 0),
            .init("damaged", .count(damaged), label: "not readable here", isShown: damaged > 0),
            .init("held", .count(held), label: "held back", isShown: held > 0), .init("seconds", .seconds(start.duration(to: clock.now))),
        ]
        report.addLine(figures.filter { pulls || !Self.pullKeys.contains($0.key) })
        let missing = result.missingReferences
        if pulls { report.addItems("missing", missing.prefix(isJSON ? missing.count : Self.maximumLines).map { ($0.line, $0.figures) }) }
        if !isJSON, missing.count > Self.maximumLines {
            report.addNote("and \(Figures.count(missing.count - Self.maximumLines, "other")) that the server does not give")
        }
        let left = Figures.count(result.leftToPrefetch, "reference is", "references are")
        if result.leftToPrefetch > 0 { report.addNote("\(left) left for the next run") }
        if !result.lockedTypes.isEmpty { report.addNote("left alone without --keyring: \(result.lockedTypes.joined(separator: ", "))") }
        if !result.typesWithoutDeletions.isEmpty {
            let note = "the server does not say what was deleted there: \(result.typesWithoutDeletions.joined(separator: ", "))"
            if isQuiet { console.report("note: \(note)") } else { report.addNote(note) }
        }
        if pulls { report.addMember("typesWithoutDeletions", .texts(result.typesWithoutDeletions)) }
        report.addMember("sealed", .texts(result.lockedTypes))
        addItems("unreadable", unreadable.map { ($0.line, $0.figures) }, to: &report)
        let items = try database.located {
            try waiting.map { change in
                WaitingItem(change, isHere: change.state == .undecided ? try store.has(change.typeName, id: change.id) : true)
            }
        }
        addItems("waiting", items.map { ($0.line, $0.figures) }, to: &report)
        if !isQuiet { try console.print(report, asJSON: isJSON) }
        guard !waiting.isEmpty || !unreadable.isEmpty || result.missing > 0 || !result.lockedTypes.isEmpty else { return .done }
        let parts = [
            result.lockedTypes.isEmpty ? nil : "\(result.lockedTypes.joined(separator: ", ")) left alone, as resources of it are sealed",
            result.missing > 0 ? "the server counts \(Figures.count(result.missing)) more than it sends" : nil,
            unreadable.isEmpty ? nil : "\(Figures.count(unreadable.count)) \(unreadable.count == 1 ? "resource" : "resources") unreadable",
            deferred > 0 ? "\(Figures.count(deferred)) \(deferred == 1 ? "conflict" : "conflicts") deferred" : nil,
            parked > 0 ? "\(Figures.count(parked)) \(parked == 1 ? "change" : "changes") refused by the server" : nil,
            undecided > 0 ? "\(Figures.count(undecided, "resource is", "resources are")) undecided" : nil,
            damaged > 0 ? "\(Figures.count(damaged, "resource", "resources")) of the database unreadable" : nil,
            held > 0 ? "\(Figures.count(held)) \(held == 1 ? "change" : "changes") held back" : nil,
        ]
        let remedy =
            !result.lockedTypes.isEmpty
            ? "give --keyring FILE"
            : deferred + undecided > 0
                ? "`firelite conflicts` shows and resolves them"
                : damaged > 0
                    ? "`firelite check` says why"
                    : parked > 0
                        ? "edit what was refused, and push again"
                        : held > 0 && unversioned == held && unreadable.isEmpty && result.missing == 0
                            ? "the server gives no versions, so changes of what it has cannot be sent safely"
                            : unreadable.isEmpty || isLenient ? "run the command again" : "--lenient reads what can be read"
        throw ToolError.incomplete("\(parts.compactMap { $0 }.joined(separator: ", ")): \(remedy)")
    }

    /// Adds lines, as many as fit on a screen; all in JSON.
    private func addItems(_ key: String, _ items: [(line: String, figures: [Report.Figure])], to report: inout Report) {
        report.addItems(key, Array(items.prefix(isJSON ? items.count : Self.maximumLines)))
        if !isJSON, items.count > Self.maximumLines {
            report.addNote("and \(Figures.count(items.count - Self.maximumLines, "other")): --json lists all")
        }
    }

    /// The maximum number of lines of a list.
    private static let maximumLines = 20
}

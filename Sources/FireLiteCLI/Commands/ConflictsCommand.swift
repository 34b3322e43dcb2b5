import FireLite
import FireLiteCore
import FireLiteSync
import FireLiteTerminal
import Foundation

/// `firelite conflicts`: lists, shows and resolves what both the database and a server have changed.
struct ConflictsCommand: Command {
    static let definition = CommandDefinition(
        name: "conflicts", summary: "list, show and resolve conflicts with a server",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("server", "URL", "the server's base address (default: the one that the database was synchronized with)"),
            .option(
                "keep", "client|server|merge|FILE", kind: .file,
                "with resolve: the database's state, the server's, both merged, or that of a JSON file"
            ).only("resolve"),
        ],
        operands: "list|show|resolve Type/id", operandCount: 0...2,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .resource],
        jsonKeys: [
            JSONKey("conflicts", "a list: type, id, server, client and remote (changed or deleted), clash (a list of paths)"),
            JSONKey("elements", "with show, a list: path, base, client, server, merge (JSON or null), clash"),
            JSONKey("base", "with show: the state that both began with"), JSONKey("client", "with show: the database's state"),
            JSONKey("remote", "with show: the server's state"), JSONKey("merge", "with show: both changes; null if they clash"),
            JSONKey("resolved", "with resolve: the resource"),
            JSONKey("undecided", "with list: a list of what nobody knows whether it was deleted: type, id, server"),
        ],
        list: ListDefinition(key: "conflicts", actions: ["list", "show"], rowKeys: ["type", "id"]),
        discussion: """
            sync defers a conflict if both sides have changed the same element of a resource, or one has deleted it. list, the
            default, prints them. show prints the elements that differ, as both sides began, as each has them, and merged; clash
            marks those that both have changed. resolve decides about one: --keep client sends the database's state, server
            takes the server's, merge both changes if they do not clash, and FILE another state of the resource. The next push
            or sync sends the result; resolve itself needs no server.

            With show, --format csv and ndjson print the elements, and --after names the path of one. With list they print conflicts
            and undecided as one list, whose column list is conflicts or undecided.

            list also prints what the server has and the database lacks while its log of changes no longer says whether that was
            a deletion; resolve with --keep client deletes it at the server with the next push, and with --keep server the next
            pull fetches it. A resource that is here is listed, too, if its row in the journal is damaged; --keep client sends it.

            list exits with status 1 if it prints anything.

            Examples: firelite conflicts --database health.sqlite
            """)

    private enum Action: String, CaseIterable {
        case list, show, resolve
    }

    private let database: DatabaseArgument
    private let action: Action
    private let key: ResourceKey?
    private let server: String?
    private let keep: String?
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        var operands = arguments.operands
        let verb = operands.first ?? Action.list.rawValue
        if let action = Action(rawValue: verb) {
            self.action = action
            if !operands.isEmpty { operands.removeFirst() }
        } else if verb.contains("/"), operands.count == 1 {
            action = .show
        } else {
            throw ToolError.usage("'\(verb)' is not list, show or resolve")
        }
        key = try operands.first.map { try ResourceKey($0, in: database) }
        server = arguments["server"]
        keep = arguments["keep"]
        listing = try Listing(arguments, Self.definition)
        switch action {
        case .list: if let key { throw ToolError.usage("unexpected argument '\(key)': show prints one conflict") }
        case .show, .resolve: if key == nil { throw ToolError.usage("\(verb) needs Type/id") }
        }
        if action == .resolve {
            guard let keep else { throw ToolError.usage("resolve needs --keep client, server, merge or FILE") }
            try Self.check(keep: keep)
        }
    }

    /// Refuses a word that is neither a state nor a file.
    private static func check(keep: String) throws {
        let words = ["client", "server", "merge"]
        if words.contains(keep) || keep == "-" || access(keep, F_OK) == 0 { return }
        let hint = NearWords.hint(for: keep, among: words)
        throw ToolError.usage("--keep takes client, server, merge or a file, and there is no file '\(keep)'\(hint)")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let servers = try servers()
        switch action {
        case .list: return try list(servers, console)
        case .show: return try show(servers, console)
        case .resolve: return try resolve(servers, console)
        }
    }

    /// The servers. Only a decision writes.
    private func servers() throws -> ConflictServers {
        try database.located {
            guard action != .resolve else { return try ConflictServers(database.open(), only: server) }
            do {
                return try ConflictServers(database.openForReadingUnlocated(), only: server)
            } catch let error as FHIRStoreError where error.code == .readOnly {
                // Tables of an older format must be extended first.
                return try ConflictServers(database.open(), only: server)
            }
        }
    }

    // MARK: - Actions

    private func list(_ servers: ConflictServers, _ console: Console) throws -> ExitStatus {
        let (found, undecided) = try database.located { (try servers.conflicts(), try servers.undecided()) }
        let isEmpty = found.isEmpty && undecided.isEmpty
        try print(conflicts: found, undecided: undecided, note: isEmpty ? "no conflicts" : nil, console)
        return isEmpty ? .done : .incomplete
    }

    private func show(_ servers: ConflictServers, _ console: Console) throws -> ExitStatus {
        let conflict = try one(servers)
        try print(conflicts: [conflict], shown: conflict, console)
        return .done
    }

    private func resolve(_ servers: ConflictServers, _ console: Console) throws -> ExitStatus {
        if let place = try undecided(servers) { return try decide(place, servers.synchronizer(place.server), console) }
        let conflict = try one(servers)
        let synchronizer = try servers.synchronizer(conflict.server)
        let decision = try decision(on: conflict, console)
        let (type, id) = (conflict.typeName, conflict.id)
        let isResolved = try database.located { try awaiting { try await synchronizer.resolve(type, id: id, with: decision) } }
        guard isResolved else { throw missing(conflict.name) }
        try print(conflicts: [], note: "resolved \(conflict.name): \(Self.effect(of: decision))", resolved: conflict.name, console)
        return .done
    }

    /// The undecided resource that is named, and its server; nil if it is none.
    private func undecided(_ servers: ConflictServers) throws -> UndecidedResource? {
        let found = try database.located { try servers.undecided() }.filter { $0.name == key?.description }
        guard found.count < 2 else { throw ToolError.usage("\(found[0].name) is undecided at several servers: name one with --server") }
        return found.first
    }

    private func decide(_ place: UndecidedResource, _ synchronizer: Synchronizer, _ console: Console) throws -> ExitStatus {
        let name = place.name
        guard let key, keep == "client" || keep == "server" else {
            let reason =
                place.isHere ? "there is no state to merge with" : "the database lacks it, so there is nothing to merge or store"
            throw ToolError.incomplete("\(name): \(reason): --keep client or server")
        }
        let (type, id, sends) = (key.type, key.id, keep == "client")
        let isDecided = try database.located {
            try awaiting { sends ? try await synchronizer.retry(type, id: id) : try await synchronizer.discard(type, id: id) }
        }
        guard isDecided else { throw missing(name) }
        let push = place.isHere ? "sends the database's state" : "deletes it at the server"
        let effect = sends ? "the next push \(push)" : "the next pull fetches it"
        try print(conflicts: [], note: "resolved \(name): \(effect)", resolved: name, console)
        return .done
    }

    /// The conflict of the resource.
    private func one(_ servers: ConflictServers) throws -> StoredConflict {
        let name = key?.description ?? ""
        let found = try database.located { try servers.conflicts() }.filter { $0.name == name }
        guard let conflict = found.first else { throw missing(name) }
        guard found.count == 1 else { throw ToolError.usage("\(name) is in conflict at several servers: name one with --server") }
        return conflict
    }

    private func missing(_ name: String) -> ToolError { .incomplete("\(name) is not in conflict: `firelite conflicts` lists what is") }

    private func decision(on conflict: StoredConflict, _ console: Console) throws -> Synchronizer.Decision {
        switch keep ?? "" {
        case "client": return .local
        case "server": return .remote
        case "merge":
            guard conflict.local != nil, conflict.remote != nil else {
                throw ToolError.incomplete(
                    "\(conflict.name): one side has deleted it, so there is nothing to merge: --keep client or server")
            }
            guard conflict.clash.isEmpty else {
                let paths = conflict.clash.joined(separator: ", ")
                throw ToolError.incomplete("\(conflict.name): both sides have changed \(paths): --keep client, server or FILE")
            }
            return .merge
        case let path:
            let resource = try FHIRJSON.resource(from: FileContents.bytes(of: path, console), release: conflict.release)
            guard resource.resourceType == conflict.typeName, resource.id == conflict.id else {
                throw ToolError.incomplete("\(path) is not a state of \(conflict.name): it has another type or id")
            }
            return .json(FHIRJSON.string(resource))
        }
    }

    /// What a decision has done.
    private static func effect(of decision: Synchronizer.Decision) -> String {
        switch decision {
        case .local: "the next push sends the database's state"
        case .remote: "the database has the server's state"
        case .merge, .mergePreferring, .json: "the database has the new state, and the next push sends it"
        }
    }

    // MARK: - Printing

    private func print(
        conflicts: [StoredConflict], undecided: [UndecidedResource] = [], note: String? = nil, shown: StoredConflict? = nil,
        resolved: String? = nil, _ console: Console
    ) throws {
        var report = Report()
        if let note { report.addNote(note) }
        let columns = ["type", "id", "server", "client", "remote", "clash"]
        let rows: [[FigureValue]] = conflicts.map { conflict in
            [
                .text(conflict.typeName), .text(conflict.id), .text(conflict.server),
                .text(conflict.local == nil ? "deleted" : "changed"),
                .text(conflict.remote == nil ? "deleted" : "changed"), .texts(conflict.clash),
            ]
        }
        report.addTable("conflicts", columns.map { .init(key: $0) }, rows, isShown: !conflicts.isEmpty)
        let elements = shown?.elements ?? []
        report.addTable(
            "elements", ["path", "base", "client", "server", "merge", "clash"].map { .init(key: $0) },
            elements.map { element in
                [.text(element.path)] + [element.base, element.client, element.server, element.merge].map(Self.cell)
                    + [.shown(element.isClash ? "clash" : "", .flag(element.isClash))]
            }, isShown: !elements.isEmpty)
        let states = [
            ("base", shown?.base), ("client", shown?.local), ("remote", shown?.remote),
            ("merge", shown?.merge),
        ]
        for (key, resource) in states { report.addMember(key, resource.map { .json(FHIRJSON.string($0)) } ?? .none) }
        report.addMember("resolved", FigureValue(resolved))
        report.addItems("undecided", keys: ["type", "id", "server"], undecided.map { ($0.line, $0.figures) })
        report.addLines(
            "rows", ["list"] + columns,
            rows.map { [.text("conflicts")] + $0 }
                + undecided.map { [.text("undecided")] + $0.figures.map(\.value) + [.none, .none, .none] })
        let isOfLines = listing.format == .csv || listing.format == .ndjson
        try console.print(report, shown != nil ? listing.of("elements", rowKeys: ["path"]) : isOfLines ? listing.of("rows") : listing)
    }

    private static func cell(_ json: String?) -> FigureValue { json.map { .shown($0, .json($0)) } ?? .none }
}

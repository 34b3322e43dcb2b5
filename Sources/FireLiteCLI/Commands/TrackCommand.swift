import FireLite

/// `firelite track`: what the database keeps of earlier states.
struct TrackCommand: Command {
    static let definition = CommandDefinition(
        name: "track", summary: "keep a log of changes, or all versions of resources",
        options: DatabaseArgument.options + [.flag("json", "with list: print one JSON object instead of text").only("list")],
        operands: "list|on|off changes|history Type…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(["list", "on", "off"]), .choice(StoreTracking.allCases.map(\.rawValue)), .resourceType],
        jsonKeys: TrackedState.jsonKeys + [
            JSONKey("newest", "the number of the newest entry"),
            JSONKey("readers", "a list, of the readers of the log: name, acknowledged (the number of an entry)"),
        ],
        list: ListDefinition(key: "readers", actions: ["list"], rowKeys: ["name"]),
        discussion: """
            on keeps a log of changes, or the history with all versions, of all types or of each Type from now on,
            whoever writes to the file. off stops that, and deletes the entries that nothing else needs: with the
            last of both, all of them. list prints what is kept. Versions of FireLite before format 3 refuse a file
            once something was tracked.

            Examples: firelite track --database health.sqlite on changes
                      firelite track --database health.sqlite on history Patient Observation
                      firelite track --database health.sqlite list
                      firelite track --database health.sqlite off history
            """)

    private enum Action {
        case list
        case on(StoreTracking, [String])
        case off(StoreTracking, [String])
    }

    private let database: DatabaseArgument
    private let action: Action
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        listing = try Listing(arguments, Self.definition)
        let verb = arguments.operands[0]
        guard ["list", "on", "off"].contains(verb) else { throw ToolError.usage("'\(verb)' is not list, on or off") }
        let rest = Array(arguments.operands.dropFirst())
        if verb == "list" {
            if let other = rest.first { throw ToolError.usage("unexpected argument '\(other)'") }
            action = .list
            return
        }
        let known = StoreTracking.allCases.map(\.rawValue).joined(separator: " or ")
        guard let name = rest.first else { throw ToolError.usage("\(verb) needs \(known)") }
        guard let tracking = StoreTracking(rawValue: name) else { throw ToolError.usage("'\(name)' is not \(known)") }
        let types = try rest.dropFirst().map { try database.resourceLayout(named: $0).name }
        action = verb == "on" ? .on(tracking, types) : .off(tracking, types)
    }

    func run(_ console: Console) throws -> ExitStatus {
        switch action {
        case .list: return try list(console)
        case .on(let tracking, let types):
            try change { store in
                if types.isEmpty { try store.track(tracking) }
                for type in types { try store.track(tracking, typeName: type) }
            }
        case .off(let tracking, let types):
            try change { store in
                if types.isEmpty { try store.stopTracking(tracking) }
                for type in types { try store.stopTracking(tracking, typeName: type) }
            }
        }
        return .done
    }

    private func change(_ body: (FHIRStore) throws -> Void) throws {
        let store = try database.open()
        do {
            try body(store)
        } catch let error as FHIRStoreError {
            if error.code == .invalidArgument { throw ToolError.usage(error) }
            throw ToolError.failed(database.message(of: error))
        }
    }

    private func list(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        var report = Report()
        try database.located {
            var figures = try TrackedState(store).figures
            figures.append(.init("newest", .count(Int(try store.newestChange())), label: "newest entry"))
            report.addFacts(figures)
            let readers = try store.changeReaders()
            report.addTable(
                "readers", [.init(key: "name", label: "reader"), .init(key: "acknowledged", alignment: .right)],
                readers.map { [.text($0.name), .number(Int($0.sequence))] }, isShown: !readers.isEmpty)
        }
        try console.print(report, listing)
        return .done
    }
}

import FireLite

/// `firelite bases`: the base addresses under which the database's resources are known.
struct BasesCommand: Command {
    static let definition = CommandDefinition(
        name: "bases", summary: "list, add or remove the base addresses of the database's own resources",
        options: DatabaseArgument.options + [.flag("json", "with list: print one JSON object instead of text").only("list")],
        operands: "list|add|remove URL…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(["list", "add", "remove"]), .other],
        jsonKeys: [JSONKey("bases", "a list of the addresses")],
        list: ListDefinition(key: "bases", actions: ["list"], rowKeys: ["bases"]),
        discussion: """
            A reference such as https://example.org/fhir/Patient/1 leads to Patient/1 of the database only if
            https://example.org/fhir is one of its base addresses; under any other address it is somebody else's. That
            decides what search, chains, includes, compartments, views and permissions find. `firelite pull` and
            `firelite sync` add the address of their server.

            list prints the addresses, one a line. add and remove take one or more.

            Examples: firelite bases --database health.sqlite list
                      firelite bases --database health.sqlite add https://example.org/fhir
            """)

    private enum Action {
        case list
        case add([String])
        case remove([String])
    }

    private let database: DatabaseArgument
    private let action: Action
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        listing = try Listing(arguments, Self.definition)
        let addresses = Array(arguments.operands.dropFirst())
        switch arguments.operands.first {
        case "list":
            if let other = addresses.first { throw ToolError.usage("unexpected argument '\(other)'") }
            action = .list
        case "add": action = .add(addresses)
        case "remove": action = .remove(addresses)
        default: throw ToolError.usage("'\(arguments.operands.first ?? "")' is not list, add or remove")
        }
        if case .list = action { return }
        if addresses.isEmpty { throw ToolError.usage("\(arguments.operands[0]) needs an address: https://example.org/fhir") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        switch action {
        case .list:
            let store = try database.openForReading()
            let bases = try database.located { try store.bases() }
            guard listing.format != .table || !bases.isEmpty else { return .done }
            var report = Report()
            report.addTexts("bases", bases)
            try console.print(report, listing)
        case .add(let addresses): try change { tx in for address in addresses { try tx.addBase(address) } }
        case .remove(let addresses):
            try change { tx in
                for address in addresses {
                    let count = try tx.bases().count
                    try tx.removeBase(address)
                    guard try tx.bases().count < count else {
                        throw FHIRStoreError(
                            .invalidArgument, "'\(address)' is not one of the addresses, which `firelite bases list` prints")
                    }
                }
            }
        }
        return .done
    }

    /// Changes all or nothing.
    private func change(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try database.open()
        do {
            try store.write { try body($0) }
        } catch let error as FHIRStoreError {
            if error.code == .invalidArgument { throw ToolError.usage(error) }
            throw ToolError.failed(database.message(of: error))
        }
    }
}

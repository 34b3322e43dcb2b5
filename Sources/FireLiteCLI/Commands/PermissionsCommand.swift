import FireLite
import FireLiteTrust
import Foundation

/// `firelite permissions`: lists permissions, and decides about a resource.
struct PermissionsCommand: Command {
    static let definition = CommandDefinition(
        name: "permissions", summary: "list permissions, or decide about a resource",
        options: DatabaseArgument.options + [
            .option("given-by", "ID", "only those of this grantor"), .option("given-to", "ID", "only those for this grantee"),
            .option("at", "TIME", "only those that hold then; for a decision, the time of the request (default: now)"),
            .option("actor", "ID", "decide: who asks"), .option("resource", "TYPE/ID", kind: .resource, "decide: for which resource"),
            .option("action", "CODE", "decide: the action (default: access)"), .option("purpose", "CODE", "decide: the purpose"),
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [
            JSONKey("permissions", "a list: consent, kind, grantor, grantees, types, standing"),
            JSONKey("permitted", "whether the request is permitted"), JSONKey("consent", "the Consent that decides"),
        ],
        list: ListDefinition(key: "permissions", rowKeys: ["consent"]),
        discussion: """
            With --actor and --resource it prints whether the request is permitted, and the Consent that decides; the exit
            status is 1 if it is denied.

            Example: firelite permissions --database health.sqlite --given-to clinic
            """)

    private let database: DatabaseArgument
    private let grantor: String?
    private let grantee: String?
    private let moment: Date?
    private let request: PermissionRequest?
    private let key: ResourceKey?
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        (grantor, grantee) = (arguments["given-by"], arguments["given-to"])
        let moment = try SignerArgument.moment(arguments, "at")
        self.moment = moment
        request = arguments["actor"].map { actor in
            PermissionRequest(
                actor: actor, action: arguments["action"].map { PermissionAction(rawValue: $0) } ?? .access,
                purpose: arguments["purpose"], at: moment ?? .present)
        }
        key = try arguments["resource"].map { try ResourceKey($0, in: database) }
        listing = try Listing(arguments, Self.definition)
        guard (request == nil) == (key == nil) else { throw ToolError.usage("a decision needs --actor and --resource") }
        if request == nil, arguments.has("action") || arguments.has("purpose") {
            throw ToolError.usage("--action and --purpose are for a decision, with --actor and --resource")
        }
        if request != nil, grantor != nil || grantee != nil {
            throw ToolError.usage("--given-by and --given-to list permissions, and --actor decides: use one of them")
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        return try SignerArgument.located(database) {
            if let request, let key {
                let decision = try store.read { try $0.decision(on: request, typeName: key.type, id: key.id) }
                try print([], decision, console)
                return decision.isPermitted ? .done : .incomplete
            }
            let found = try store.read { tx in
                let mine = try grantor.map { try tx.permissions(givenBy: $0, at: moment) }
                let theirs = try grantee.map { try tx.permissions(givenTo: $0, at: moment) }
                if let mine, let theirs { return mine.filter(theirs.contains) }
                if let one = mine ?? theirs { return one }
                let all = try tx.permissions()
                guard moment != nil else { return all }
                return try Set(all.map(\.permission.grantor)).sorted().flatMap { try tx.permissions(givenBy: $0, at: moment) }
            }
            try print(found, nil, console)
            return .done
        }
    }

    private func print(_ permissions: [StoredPermission], _ decision: PermissionDecision?, _ console: Console) throws {
        var report = Report()
        if let decision {
            report.addNote((decision.isPermitted ? "permitted" : "denied") + (decision.consentID.map { " by Consent/\($0)" } ?? ""))
        }
        let keys = ["consent", "kind", "grantor", "grantees", "types", "standing"]
        report.addTable(
            "permissions", keys.map { .init(key: $0) },
            permissions.map { stored in
                let permission = stored.permission
                return [
                    .text(permission.id), .text(permission.rule.kind.rawValue), .text(permission.grantor),
                    .texts(permission.rule.grantees), .texts(permission.rule.types), .text(stored.standing.rawValue),
                ]
            }, isShown: decision == nil)
        report.addMember("permitted", decision.map { .flag($0.isPermitted) } ?? .none)
        report.addMember("consent", FigureValue(decision?.consentID))
        try console.print(report, listing)
    }
}

import FireLite
import FireLiteTrust
import Foundation

/// `firelite permit`: permits somebody to see resources, or denies it.
struct PermitCommand: Command {
    static let definition = CommandDefinition(
        name: "permit", summary: "permit somebody to see resources, or deny it",
        options: DatabaseArgument.options + [
            .option("grantor", "ID", isRequired: true, "the identity that permits"), SignerArgument.keyOption,
            .option("grantee", "ID", isRepeatable: true, "for whom (default: everybody)"),
            .option("type", "TYPE", kind: .resourceType, isRepeatable: true, "a resource type (default: all)"),
            .option("compartment", "TYPE/ID", kind: .resource, isRepeatable: true, "a compartment, such as Patient/1 (default: all)"),
            .option("action", "CODE", isRepeatable: true, "an action, such as access (default: all)"),
            .option("purpose", "CODE", isRepeatable: true, "a purpose, such as TREAT (default: all)"),
            .option("from", "TIME", "the first moment"), .option("until", "TIME", "the end"),
            .option("id", "ID", "the id of the Consent (default: a new UUID)"), .flag("deny", "deny, whatever permits"),
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [JSONKey("consent", "the id of the Consent"), JSONKey("kind", "permit or deny")],
        discussion: """
            The permission is stored as a Consent that the grantor signs. The first grantor of a database without an owner
            becomes its owner.

            Example: firelite permit --database health.sqlite --grantor me --signing-key me.pem --grantee clinic
            """)

    private let database: DatabaseArgument
    private let signer: SignerArgument
    private let id: String?
    private let rule: AccessRule
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        signer = try SignerArgument(arguments, "grantor")
        id = arguments["id"]
        isJSON = arguments.has("json")
        for type in arguments.all("type") { _ = try database.resourceLayout(named: type) }
        for compartment in arguments.all("compartment") { _ = try ResourceKey(compartment, in: database) }
        rule = AccessRule(
            arguments.has("deny") ? .deny : .permit, to: arguments.all("grantee"), from: try SignerArgument.moment(arguments, "from"),
            until: try SignerArgument.moment(arguments, "until"), types: arguments.all("type"),
            compartments: arguments.all("compartment"), purposes: arguments.all("purpose"),
            actions: arguments.all("action").map { PermissionAction(rawValue: $0) })
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let permission = AccessPermission(id: id, grantor: signer.id, rule: rule)
        try SignerArgument.located(database) {
            try store.write { tx in
                let grantor = try signer.signer(in: tx, becomesOwner: true)
                guard try tx.identity(grantor.id)?.authority != Identity.Authority.none else {
                    throw ToolError.failed("the permissions of \(grantor.id) count for nothing: another identity owns the database")
                }
                try tx.grant(permission, signedBy: grantor)
            }
        }
        var report = Report()
        report.addLine([.init("consent", .text(permission.id)), .init("kind", .text(rule.kind.rawValue))])
        try console.print(report, asJSON: isJSON)
        return .done
    }
}

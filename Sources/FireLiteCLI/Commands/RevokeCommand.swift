import FireLite
import FireLiteTrust
import Foundation

/// `firelite revoke`: revokes a permission.
struct RevokeCommand: Command {
    static let definition = CommandDefinition(
        name: "revoke", summary: "revoke a permission",
        options: DatabaseArgument.options + [
            .option("grantor", "ID", isRequired: true, "its grantor, or the owner of the database"), SignerArgument.keyOption,
        ],
        operands: "ID", operandCount: 1...1, operandKinds: [.other],
        jsonKeys: [JSONKey("revoked", "the id of the Consent")],
        discussion: """
            The Consent stays, inactive.

            Examples: firelite permit --database health.sqlite --grantor me --signing-key me.pem --id clinic-1
                      firelite revoke --database health.sqlite --grantor me --signing-key me.pem clinic-1
            """)

    private let database: DatabaseArgument
    private let signer: SignerArgument
    private let id: String
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        signer = try SignerArgument(arguments, "grantor")
        id = arguments.operands[0]
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        try SignerArgument.located(database) {
            try store.write { tx in try tx.revokePermission(id, signedBy: signer.signer(in: tx)) }
        }
        var report = Report()
        report.addLine([.init("revoked", .text(id))])
        try console.print(report, asJSON: isJSON)
        return .done
    }
}

import FireLite
import FireLiteTrust
import Foundation

/// `firelite sign`: signs a resource as it is.
struct SignCommand: Command {
    static let definition = CommandDefinition(
        name: "sign", summary: "sign a resource as it is",
        options: DatabaseArgument.options + [
            .option("signer", "ID", isRequired: true, "the identity that signs"), SignerArgument.keyOption,
        ],
        operands: "Type/id", operandCount: 1...1, operandKinds: [.resource],
        jsonKeys: [JSONKey("signed", "the resource"), JSONKey("provenance", "the id of the Provenance with the signature")],
        discussion: """
            The signature is stored in a Provenance. An identity that the database does not know is added.

            Example: firelite sign --database health.sqlite --signer me --signing-key me.pem Patient/123
            """)

    private let database: DatabaseArgument
    private let signer: SignerArgument
    private let key: ResourceKey
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        signer = try SignerArgument(arguments, "signer")
        key = try ResourceKey(arguments.operands[0], in: database)
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let id = try SignerArgument.located(database) {
            try store.write { tx in
                guard let resource = try tx.resource(typeName: key.type, id: key.id) else {
                    throw ToolError.incomplete("\(key) is not in \(database.path)")
                }
                return try tx.sign(resource, by: signer.signer(in: tx)).id
            }
        }
        var report = Report()
        report.addLine([.init("signed", .text(key.description)), .init("provenance", FigureValue(id))])
        try console.print(report, asJSON: isJSON)
        return .done
    }
}

import FireLite
import FireLiteTrust
import Foundation

/// `firelite verify`: verifies the signatures of a resource.
struct VerifyCommand: Command {
    static let definition = CommandDefinition(
        name: "verify", summary: "verify the signatures of a resource", options: DatabaseArgument.options,
        operands: "Type/id", operandCount: 1...1, operandKinds: [.resource],
        jsonKeys: [JSONKey("signatures", "the signatures that hold, a list: signer, key, time, provenance")],
        list: ListDefinition(key: "signatures"),
        discussion: """
            Prints the signatures by known identities that are valid for the current resource. The exit status is 1 if there is
            none.

            Examples: firelite sign --database health.sqlite --signer me --signing-key me.pem Patient/123
                      firelite verify --database health.sqlite Patient/123
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let signatures = try SignerArgument.located(database) {
            try store.read { tx in
                guard let resource = try tx.resource(typeName: key.type, id: key.id) else {
                    throw ToolError.incomplete("\(key) is not in \(database.path)")
                }
                return try tx.validSignatures(of: resource)
            }
        }
        var report = Report()
        report.addTable(
            "signatures", [.init(key: "signer"), .init(key: "key"), .init(key: "time"), .init(key: "provenance")],
            signatures.map { [.text($0.signer), .text($0.keyID), .time($0.moment), FigureValue($0.provenanceID)] })
        if signatures.isEmpty { report.addNote("\(key) has no signature that holds") }
        try console.print(report, listing)
        return signatures.isEmpty ? .incomplete : .done
    }
}

import FireLiteR4
import FireLiteSync
import Foundation

/// `firelite token`: prints the token that the tool gets for a server.
struct TokenCommand: Command {
    static let definition = CommandDefinition(
        name: "token", summary: "print a token for a server",
        options: ServerArgument.options,
        operands: "", operandCount: 0...0,
        discussion: """
            The token is a secret: whoever has it has the same access until it ends. It goes to standard output, for other
            programs.

            \(CredentialsFile.discussion)

            Example: firelite token --server https://fhir.example.org/r4 --credentials server.json
            """)

    private let server: ServerArgument

    init(_ arguments: ParsedArguments) throws {
        server = try ServerArgument(arguments)
        guard arguments.has("credentials") else { throw ToolError.usage("--credentials FILE is missing") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let client = try server.client(.r4)
        let header: String?
        do {
            header = try awaiting { try await client.authorization.header(for: client.authorizationContext) }
        } catch let error as AuthorizationError where error.reason == "invalid_scope" {
            throw ToolError.failed(
                "\(ToolWords.text(of: error)): the member scope of the credentials file says what to ask for, such as system/*.rs")
        }
        guard let header, header.hasPrefix("Bearer ") else { throw ToolError.incomplete("the credentials give no token") }
        try console.print(String(header.dropFirst("Bearer ".count)))
        return .done
    }
}

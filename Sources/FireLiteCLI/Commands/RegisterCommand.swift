import FireLiteR4
import FireLiteSync
import Foundation

/// `firelite register`: registers a client with a server, and writes its credentials to a file.
struct RegisterCommand: Command {
    static let definition = CommandDefinition(
        name: "register", summary: "register with a server, and write the credentials to a file",
        options: [
            ServerArgument.server(isRequired: true),
            .option("credentials", "FILE", kind: .output(.secret), isRequired: true, "the new file for the credentials"),
            ServerArgument.plainHTTP,
            .option("name", "NAME", "the name that the server shows (default: firelite)"),
            .option("scope", "SCOPE", "what to ask for, such as system/*.rs (default: what the server gives)"),
            .option(
                "key", "ALGORITHM", kind: .choice(SignatureAlgorithm.allCases.map(\.rawValue)),
                "make a key and register its public half (default: the server gives a secret)"),
            .option("token-file", "FILE", kind: .file, "the file with the token that the server wants for a registration"),
        ],
        operands: "", operandCount: 0...0,
        discussion: """
            Registers by OAuth's dynamic registration (RFC 7591) where the server says that clients register. The file gets what
            the server answers, secrets included, and is readable by its owner only. It must not exist. Nothing secret is printed.

            \(CredentialsFile.discussion)

            Examples: firelite register --server https://fhir.example.org/r4 --credentials new.json
                      firelite register --server https://fhir.example.org/r4 --credentials new.json --key ES384
            """)

    private let server: ServerArgument
    private let output: OutputPath?
    private let name: String
    private let scope: String?
    private let algorithm: SignatureAlgorithm?
    private let tokenPath: String?

    init(_ arguments: ParsedArguments) throws {
        server = try ServerArgument(arguments)
        output = arguments.output("--credentials")
        try output?.requireNew()
        name = arguments["name"] ?? "firelite"
        scope = arguments["scope"]
        tokenPath = arguments["token-file"]
        algorithm = try arguments["key"].map { text in
            let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            guard let algorithm = SignatureAlgorithm(rawValue: text) else { throw ToolError.usage("--key is '\(text)', not \(known)") }
            return algorithm
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        guard let output else { return .usage }
        let context = try server.anonymousClient(.r4).authorizationContext
        let key = try algorithm.map { try PrivateKey($0.keyKind, algorithm: $0) }
        let registration = ClientRegistration(
            name: name, scope: scope, authenticationMethod: key == nil ? "client_secret_basic" : "private_key_jwt",
            keys: try key?.publicKeySet())
        let token = try tokenPath.map { try CredentialsFile.secret(path: $0) }
        let client = try awaiting { try await ClientRegistrar(context, initialToken: token).register(registration) }
        var members = client.members
        if let key {
            members["private_key"] = .string(try key.pem().value)
            members["key_id"] = .string(key.id)
            members["token_endpoint_auth_signing_alg"] = .string(key.algorithm.rawValue)
        }
        if members["scope"] == nil, let scope { members["scope"] = .string(scope) }
        try CredentialsFile(path: output.path, members: members).write(to: output)
        var report = Report()
        report.addNote("registered \(client.id), credentials in \(output.path)")
        try console.print(report, asJSON: false)
        return .done
    }
}

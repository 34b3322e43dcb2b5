import FireLite
import Foundation

/// `firelite browse`: opens the pages that show a database.
struct BrowseCommand: Command {
    static let definition = CommandDefinition(
        name: "browse", summary: "show what a database holds as pages in a browser, read only",
        options: [
            DatabaseArgument.database, KeyFile.option, .flag("edit", "let the pages change resources"),
            .flag("no-open", "only print the address"),
            .option("port", "N", "the port to listen at (default: any free one)"),
        ],
        operands: "", operandCount: 0...0, operandKinds: [.database], ownOperand: OwnOperand.none,
        discussion: """
            It starts `firelite-server`, which is a program of its own: beside this one, in PATH, or named by FIRELITE_SERVER. The
            server listens at the loopback interface, and its pages open by a link that works once. It runs until you press
            Control-C. The database can be used by an app and by this tool at the same time. With --no-open the link is printed
            and not opened.

            Without --edit the file is never changed, not even upgraded from an older format, and its folder need not be
            writable. If it is encrypted and there is no --key-file, a page asks for the key. Searches that
            you save are kept in FILE.searches.json.

            `make server` in the source of FireLite builds the server.

            Examples: firelite browse health.sqlite
                      firelite browse health.sqlite --edit --port 8080
            """)

    private let database: DatabaseArgument
    private let keyPath: String?
    private let port: Int
    private let edits: Bool
    private let opens: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        keyPath = arguments["key-file"]
        port = try arguments.number("port", in: 0...65_535) ?? 0
        edits = arguments.has("edit")
        opens = !arguments.has("no-open")
    }

    func run(_ console: Console) throws -> ExitStatus {
        // The tool's own errors say what is wrong with the file, in its words: an older or newer format, a wrong key, no store.
        let asks = try database.located { () -> Bool in
            do {
                try (edits ? database.open() : database.openUnchangedUnlocated()).close()
                return false
            } catch let error as FHIRStoreError where error.code == .missingKey && keyPath == nil && !edits {
                guard try FireLiteBuild.library.hasPrefix("SQLCipher") else { throw error }
                return true
            }
        }
        let server = try ServerProgram(console.environment)
        let pages = ServerProgram.Pages(database: database.path, keyPath: keyPath, asksForKey: asks, port: port, edits: edits)
        return try server.serve(pages) { address in
            try console.print(address)
            if opens { ServerProgram.open(address) }
        }
    }
}

import FireLite
import FireLiteTerminal
import Foundation

/// `firelite backup`: copies the database while others use it.
struct BackupCommand: Command {
    static let definition = CommandDefinition(
        name: "backup", summary: "copy the database to a new file while others use it",
        options: DatabaseArgument.options + [
            .flag("replace", "replace an existing database, which must not be in use"),
            .option("new-key-file", "FILE", kind: .file, "the file with the key of the copy (default: the database's key)"),
            .flag("plain", "do not encrypt the copy, even if the database is encrypted"),
        ],
        operands: "FILE", operandCount: 1...1, operandKinds: [.output(.copy)],
        jsonKeys: [
            JSONKey("missingPayloads", "a list: payloads of attachments that the database lacks, and so the copy"),
            JSONKey("missingTables", "a list of texts: tables that another program has dropped, so that the copy lacks them"),
            JSONKey("file", "the copy"), JSONKey("bytes", "its size"),
        ],
        discussion: """
            The copy is the database as it was when the copy began. FILE appears when it is complete and on the disk, and
            only its owner can read it. An existing file is refused unless --replace is given. That replaces databases only;
            an encrypted one must have the key of the copy or of the database. The exit status is 1 if payloads of attachments
            or tables are missing.

            \(KeyFile.discussion)

            Examples: firelite backup --database health.sqlite health-monday.sqlite
                      firelite backup --database health.sqlite --new-key-file new.key encrypted.sqlite
            """)

    private let database: DatabaseArgument
    private let target: OutputPath?
    private let replaces: Bool
    private let isPlain: Bool
    private let newKeyPath: String?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        replaces = arguments.has("replace")
        target = arguments.output("FILE")
        if !replaces { try target?.requireNew(or: "give --replace") }
        isPlain = arguments.has("plain")
        newKeyPath = arguments["new-key-file"]
        isJSON = arguments.has("json")
        if isPlain, newKeyPath != nil {
            throw ToolError.usage("--plain and --new-key-file exclude each other: choose one")
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let target = target?.path ?? ""
        let newKey = try newKeyPath.map { try KeyFile.key(path: $0) }
        let store = try database.openForReading()
        let encryption = isPlain ? FHIRStore.BackupEncryption.none : newKey.map { .key($0) } ?? .same
        let findings = try database.located(writing: target) {
            try store.backup(to: URL(fileURLWithPath: target), replacing: replaces, encryption: encryption)
        }
        var report = Report()
        let missing = findings.filter { $0.kind == .payload }
        let tables = findings.filter { $0.kind == .module }
        report.addTexts("missingPayloads", missing.map(\.text))
        report.addTexts("missingTables", tables.map(\.text))
        report.addNote("copied to \(target)")
        report.addMember("file", .text(target))
        report.addMember("bytes", .bytes(try Self.size(of: target)))
        try console.print(report, asJSON: isJSON)
        if let doubt = findings.first(where: { $0.kind == .checksum }) {
            throw ToolError.incomplete("in \(database.path) \(doubt): check it with `firelite check`")
        }
        guard tables.isEmpty else {
            let names = tables.compactMap(\.table).joined(separator: ", ")
            throw ToolError.incomplete(
                "\(database.path) has lost \(names), and so has the copy: see `firelite check`, or use `firelite recover`")
        }
        if missing.isEmpty { return .done }
        let payloads = Figures.count(missing.count, "payload of an attachment is", "payloads of attachments are")
        throw ToolError.incomplete("\(payloads) missing in \(database.path), and so in the copy")
    }

    private static func size(of path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ToolError.system(path) }
        return Int(status.st_size)
    }
}

import FireLite
import FireLiteRecords
import FireLiteTerminal
import Foundation

/// `firelite blobs`: the payloads of attachments that are kept apart from their resources.
struct BlobsCommand: Command {
    static let definition = CommandDefinition(
        name: "blobs", summary: "list, verify, collect and move the payloads of attachments",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("at-least", "BYTES", "with apart: the least size of a payload that is kept apart (default: 4096)").only("apart"),
            .option("in-files", "BYTES", "with apart: the least size of a payload that goes into a file (default: none does)")
                .only("apart"),
        ],
        operands: "list|verify|collect|apart|back", operandCount: 1...1, operandKinds: [.choice(Action.allCases.map(\.rawValue))],
        jsonKeys: [
            JSONKey("payloads", "a list: hash, bytes, created, resources, versions (whether an older version may have it), sealed"),
            JSONKey("faults", "with verify, a list of texts: the payloads that do not match their hash or lack a part"),
            JSONKey("collected", "with collect, the number of payloads deleted"),
            JSONKey("kept", "with collect, a list of texts: why payloads or files stay that nothing seems to refer to"),
            JSONKey("moved", "with apart and back, the number of resources whose payloads moved"),
        ],
        list: ListDefinition(key: "payloads", actions: ["list"], rowKeys: ["hash"]),
        discussion: """
            apart moves payloads out of the rows of their resources, now and with every later write; back moves them into the
            rows again. With --keyring, apart also seals payloads that are stored apart unsealed. verify compares each payload
            with its SHA-256, and opens sealed ones; the exit status is 1 if one differs, or is missing. collect deletes
            payloads that nothing refers to, and gives payloads that have lost their files those back whose content matches;
            what damaged rows may need stays, with exit status 1. --in-files keeps large payloads that are stored from now on
            in a folder beside the database, which must be copied and moved with it; `firelite backup` does.

            Examples: firelite blobs --database health.sqlite apart
                      firelite blobs --database health.sqlite verify
            """)

    private enum Action: String, CaseIterable {
        case list, verify, collect, apart, back
    }

    private let database: DatabaseArgument
    private let action: Action
    private let minimum: Int?
    private let fileMinimum: Int?
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else { throw ToolError.usage("'\(verb)' is not list, verify, collect, apart or back") }
        self.action = action
        minimum = try arguments.number("at-least", in: 1...Int.max)
        fileMinimum = try arguments.number("in-files", in: 1...Int.max)
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let isReading = action == .list || action == .verify
        let store = try isReading ? database.openForReading() : database.open()
        let attachments = store.attachments
        var report = Report()
        var (faults, collected, moved, kept): ([PayloadFault], Int, Int, [String]) = ([], 0, 0, [])
        try database.located {
            do {
                switch action {
                case .list: break
                case .verify:
                    faults = try attachments.verify()
                    if faults.isEmpty { report.addNote("every payload matches its hash") }
                case .collect:
                    let result = try attachments.collect()
                    (collected, kept) = (result.payloads, result.kept + [result.keptFiles].compactMap { $0 })
                    report.addNote("collected \(Figures.count(result.payloads)), \(Figures.bytes(result.bytes))")
                case .apart:
                    moved = try attachments.externalizePayloads(policy(attachments))
                    report.addNote("moved \(Figures.count(moved))")
                case .back:
                    moved = try attachments.inlinePayloads()
                    report.addNote("moved \(Figures.count(moved))")
                }
            } catch let error as AttachmentError { throw ToolError.incomplete(error) }
            let payloads = try attachments.list()
            report.addTable("payloads", Self.columns, payloads.map(Self.row), isShown: action == .list && !payloads.isEmpty)
            if action == .list, payloads.isEmpty { report.addNote("no payload is kept apart") }
        }
        for fault in faults { report.addNote(fault.description) }
        for reason in kept { report.addNote(reason) }
        report.addMember("faults", .texts(faults.map(\.description)))
        report.addMember("kept", .texts(kept))
        report.addMember("collected", .number(collected))
        report.addMember("moved", .number(moved))
        try console.print(report, listing)
        guard kept.isEmpty else {
            throw ToolError.incomplete(
                "payloads or files stay that damaged rows of \(database.path) may need: see `firelite check`, or restore a backup")
        }
        return faults.isEmpty ? .done : .incomplete
    }

    /// The file's policy with what the options change; nil without options.
    private func policy(_ attachments: Attachments) throws -> AttachmentPolicy? {
        guard minimum != nil || fileMinimum != nil else { return nil }
        var policy = try attachments.policy ?? AttachmentPolicy()
        if let minimum { policy.minimumBytes = minimum }
        if let fileMinimum { policy.fileThreshold = fileMinimum }
        return policy
    }

    private static let columns: [Report.Column] = [
        .init(key: "hash"), .init(key: "bytes", alignment: .right), .init(key: "created"), .init(key: "resources", alignment: .right),
        .init(key: "versions"), .init(key: "sealed"),
    ]

    private static func row(_ payload: StoredPayload) -> [FigureValue] {
        let hash = payload.hash.hexText
        return [
            .shown("\(hash.prefix(16))…", .text(hash)), .bytes(payload.byteCount), .time(payload.created), .number(payload.resources),
            .flag(payload.isInHistory), .flag(payload.isSealed),
        ]
    }
}

import FireLite
import FireLiteTerminal
import FireLiteTrust
import Foundation

/// `firelite audit`: verifies, lists, exports and proves the audit trail of a database.
struct AuditCommand: Command {
    static let definition = CommandDefinition(
        name: "audit", summary: "verify, list, export and prove the audit trail",
        options: DatabaseArgument.options + [
            .option("head", "FILE", kind: .file, "with verify: heads that were kept, a token a line").only("verify"),
            .option("signed-by", "FILE", kind: .file, "with verify: the signer's public key, as PEM (default: the database's identities)")
                .only("verify"),
            .option("after", "N", "with list and export: only rows after this number").only("list", "export"),
            .option("limit", "N", "with list and export: at most N rows").only("list", "export"),
            .option("source", "NAME", "with export: what recorded the events, such as Device/7 (default: the id of the trail)")
                .only("export"),
            .flag("without-resource", "with proof: leave out the resource").only("proof"),
        ],
        operands: "verify|list|export|head|proof [TYPE/ID|N]", operandCount: 1...2,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .other],
        jsonKeys: [
            JSONKey("rows", "the number of rows"), JSONKey("pruned", "the number of rows without values"),
            JSONKey("heads", "the number of heads"), JSONKey("head", "the token of the last head"),
            JSONKey("finding", "what does not fit: kind, row, message; null if everything does"),
            JSONKey("entries", "a list: number, time, actor, action, type, id, version, outcome, purpose"),
        ],
        list: ListDefinition(key: "entries", actions: ["list"], rowKeys: ["number"]),
        discussion: """
            verify compares each row with its hash, the tree with every signed head, and all with the heads in --head; the exit
            status is 1 if anything differs, or if there is no trail. Keep the last head outside of the file, as head prints it:
            without one, a trail that was cut off together with its heads looks whole. export prints one AuditEvent per line,
            for R4 and later. proof prints the proof that a resource has its present value, or of row N, as JSON for others.

            Examples: firelite audit --database health.sqlite verify
                      firelite audit --database health.sqlite list --limit 100
                      firelite audit --database health.sqlite export
            """)

    private enum Action: String, CaseIterable {
        case verify, list, export, head, proof
    }

    private let database: DatabaseArgument
    private let action: Action
    private let subject: String?
    private let heads: String?
    private let keyFile: String?
    private let after: Int
    private let limit: Int?
    private let source: String?
    private let hasResource: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        guard let action = Action(rawValue: arguments.operands[0]) else {
            throw ToolError.usage("'\(arguments.operands[0])' is not verify, list, export, head or proof")
        }
        self.action = action
        subject = arguments.operands.dropFirst().first
        heads = arguments["head"]
        keyFile = arguments["signed-by"]
        after = try arguments.number("after", in: 0...Int.max) ?? 0
        limit = try arguments.number("limit", in: 1...Int.max)
        source = arguments["source"]
        hasResource = !arguments.has("without-resource")
        listing = try Listing(arguments, Self.definition)
        if action == .proof, subject == nil { throw ToolError.usage("proof needs a resource, as Patient/1, or the number of a row") }
        if action != .proof, let subject { throw ToolError.usage("unexpected argument '\(subject)'") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        return try database.located {
            do {
                switch action {
                case .verify: return try verify(store, console)
                case .list: return try list(store, console)
                case .export: return try export(store, console)
                case .head: return try head(store, console)
                case .proof: return try proof(store, console)
                }
            } catch let error as AuditError {
                switch error.code {
                case .notFound, .damaged, .invalidProof, .invalidSignature: throw ToolError.incomplete(error)
                default: throw ToolError.failed(error)
                }
            } catch let error as TrustError { throw ToolError.failed(error) }
        }
    }

    // MARK: - Actions

    private var noTrail: String { "\(database.path) has no audit trail: it never had one, or it was removed" }

    private func verify(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let kept = try heads.map { path in
            guard FileManager.default.fileExists(atPath: path) else { throw ToolError.failed("\(path) does not exist") }
            // Without a head, a trail that was cut off would look whole: a file without one is refused.
            return try AuditHeadFile(URL(fileURLWithPath: path)).heads()
        }
        let keys = try keyFile.map { path in
            [try PublicKey(pem: FileContents.text(of: path))]
        }
        let result = try store.read { try $0.verifyAudit(from: kept ?? [], signedBy: keys) }
        let hasTrail = result.headCount > 0 || result.size > 0
        var notes = result.finding.map { [hasTrail ? $0.description : noTrail] } ?? []
        if hasTrail {
            notes.append(
                "\(Figures.count(Int(result.size), "row")), \(Figures.count(Int(result.prunedCount))) of them pruned, "
                    + Figures.count(Int(result.headCount), "head") + (result.isIntact ? ": intact" : ""))
        }
        try print(notes, result: result, head: result.head, console)
        return result.isIntact ? .done : .incomplete
    }

    private func list(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let (entries, hasTrail) = try store.read {
            (try $0.auditEntries(after: Int64(after), limit: listing.most), try $0.lastAuditHead() != nil)
        }
        try print(hasTrail ? [] : [noTrail], entries: entries, console)
        return .done
    }

    private func export(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        try store.read { tx in
            let source = try source ?? tx.lastAuditHead()?.trail ?? "FireLite"
            for entry in try tx.auditEntries(after: Int64(after), limit: limit) {
                try console.print(FHIRJSON.string(entry.auditEvent(release: store.release, source: source)))
            }
        }
        return .done
    }

    private func head(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        guard let head = try store.read({ try $0.lastAuditHead() }) else {
            throw ToolError.incomplete("\(database.path) has no audit trail")
        }
        try print([head.token], head: head, console)
        return .done
    }

    private func proof(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let subject = subject ?? ""
        let proof = try store.read { tx in
            if let number = Int64(subject) { return try tx.auditProof(ofEntry: number) }
            let parts = subject.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ToolError.usage("'\(subject)' is neither the number of a row nor a resource, as Patient/1")
            }
            _ = try database.resourceLayout(named: parts[0])
            let full = try tx.auditProof(of: parts[0], id: parts[1])
            return hasResource ? full : try tx.auditProof(ofEntry: full.entry.number)
        }
        try console.print(String(decoding: try proof.json, as: UTF8.self))
        return .done
    }

    // MARK: - Printing

    private func print(
        _ notes: [String], entries: [AuditEntry]? = nil, result: AuditVerification? = nil, head: AuditHead? = nil, _ console: Console
    ) throws {
        var report = Report()
        for note in notes { report.addNote(note) }
        report.addTable("entries", columns, (entries ?? []).map(row), isShown: entries != nil)
        report.addMember("rows", result.map { .number(Int($0.size)) } ?? .none)
        report.addMember("pruned", result.map { .number(Int($0.prunedCount)) } ?? .none)
        report.addMember("heads", result.map { .number(Int($0.headCount)) } ?? .none)
        report.addMember("head", FigureValue(head?.token))
        report.addMember("finding", .json(result?.finding.map(Self.object) ?? "null"))
        try console.print(report, listing)
    }

    private static func object(_ finding: AuditFinding) -> String {
        JSONText.object([
            ("kind", JSONText.string(finding.kind.rawValue)), ("row", "\(finding.row)"), ("message", JSONText.string(finding.description)),
        ])
    }

    private var columns: [Report.Column] {
        [
            .init(key: "number", alignment: .right), .init(key: "time"), .init(key: "actor"), .init(key: "action"), .init(key: "type"),
            .init(key: "id"), .init(key: "version", alignment: .right), .init(key: "outcome"), .init(key: "purpose"),
        ]
    }

    private func row(_ entry: AuditEntry) -> [FigureValue] {
        [
            .number(Int(entry.number)), .time(entry.date), .text(entry.party.actor), .text(entry.access.action.rawValue),
            FigureValue(entry.access.typeName), FigureValue(entry.access.id), entry.access.version.map { .number(Int($0)) } ?? .none,
            .text(entry.access.outcome.rawValue), FigureValue(entry.party.purpose),
        ]
    }
}

import FireLite
import FireLiteCore
import FireLiteCrypto
import FireLiteSync
import FireLiteTrust
import Foundation

/// Who changed, signed and sent a resource, by what the file knows: versions, the change log, the audit trail, Provenances, outbox and sync.
///
/// Each part that would read a whole table is left out if the time of the page does not suffice; `isWhole` is then false.
struct ResourceTrail {
    /// An entry of the change log or the history.
    struct LogEntry {
        let number: Int64
        let kind: String
        let date: Date?
        /// Whether it came from a server.
        let isFromServer: Bool
        /// The version that it made.
        let version: Int64
    }

    /// What a Provenance about the resource says, and whether its signature holds.
    struct Statement {
        enum Standing {
            case holds(ResourceSignature, Identity?)
            /// Signed in the form that the store verifies, and not for what the resource is now.
            case fails
            /// Signed in another form.
            case unknownForm
            case unsigned
        }

        let id: String?
        let recorded: String?
        let agents: [String]
        let standing: Standing
    }

    /// Whether the audit trail proves what the resource is now.
    enum Proof {
        case proven(AuditProof)
        case problem(String)
    }

    private(set) var versions: [ResourceVersion] = []
    private(set) var log: [LogEntry] = []
    private(set) var hasAudit = false
    private(set) var entries: [AuditEntry] = []
    private(set) var proof: Proof?
    private(set) var statements: [Statement] = []
    private(set) var outbox: [OutboxEntry] = []
    private(set) var standings: [SyncStanding] = []
    /// Parts that cannot be read, each with the reason.
    private(set) var problems: [String] = []
    private(set) var isWhole = true

    /// The number of rows of each part.
    private static let most = 60

    private let call: PageCall
    private let type: String
    private let id: String

    /// - Parameter resource: the resource; nil if it was deleted.
    init(_ call: PageCall, of resource: FHIRResource?, type: String, id: String, budget: TimeBudget) throws {
        self.call = call
        self.type = type
        self.id = id
        versions = try call.transaction.history(typeName: type, id: id)
        let tables = try call.browser.facts.schema()
        if tables["_change"] != nil { try readLog(budget) }
        if tables["_audit"] != nil { try readAudit(resource, budget) }
        if let resource, tables["Provenance_target"]?.contains("reference") == true { try readStatements(resource, budget) }
        if tables["_outbox"] != nil { try readOutbox(budget) }
        if tables["_sync_server"] != nil { try readStandings() }
    }

    // MARK: - Parts

    private mutating func readLog(_ budget: TimeBudget) throws {
        let columns = "seq, kind, time, origin, revision"
        let replaced = try budget.rows(
            call.store, "SELECT \(columns) FROM _change WHERE type = ? AND id = ? ORDER BY seq DESC LIMIT \(Self.most)",
            [.text(type), .text(id)])
        var found = replaced ?? []
        if replaced == nil { isWhole = false }
        // An added resource has its type and id nowhere but in the tables.
        if let root = try call.transaction.registered(type, id: id)?.root {
            let added = try budget.rows(
                call.store, "SELECT \(columns) FROM _change WHERE root = ? AND type IS NULL ORDER BY seq DESC LIMIT 1", [.integer(root)])
            found += added ?? []
            if added == nil { isWhole = false }
        }
        let kinds: [Int64: String] = [0: "added", 2: "deleted"]
        log = found.map { row in
            LogEntry(
                number: row[0].integer ?? 0, kind: kinds[row[1].integer ?? 1] ?? "changed",
                date: row[2].integer.map { Date(timeIntervalSince1970: Double($0) / 1_000) },
                isFromServer: row[3].integer != nil, version: (row[4].integer ?? 0) + 1)
        }.sorted { $0.number > $1.number }
    }

    private mutating func readAudit(_ resource: FHIRResource?, _ budget: TimeBudget) throws {
        hasAudit = true
        guard
            let rows = try budget.rows(
                call.store, "SELECT seq FROM _audit WHERE type = ? AND id = ? ORDER BY seq DESC LIMIT \(Self.most)",
                [.text(type), .text(id)])
        else {
            isWhole = false
            return
        }
        let transaction = call.transaction
        do {
            entries = try rows.compactMap { row in
                try transaction.auditEntries(after: (row[0].integer ?? 1) - 1, limit: 1).first
            }
            guard let resource, !entries.isEmpty else { return }
            let proof = try transaction.auditProof(of: type, id: id)
            // The proof can be of an earlier version that the history has.
            guard proof.resource == FHIRJSON.string(resource) else {
                self.proof = .problem("the trail has no entry of what is stored now: something has written it past the audit")
                return
            }
            try proof.verify(signedBy: transaction.identities().flatMap { $0.keys.map(\.key) })
            self.proof = .proven(proof)
        } catch let error as any FireLiteError {
            proof = .problem(error.message)
        }
    }

    private mutating func readStatements(_ resource: FHIRResource, _ budget: TimeBudget) throws {
        let texts = ["\(type)/\(id)"] + (try call.transaction.bases()).map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "\(type)/\(id)" }
        let marks = texts.map { _ in "?" }.joined(separator: ", ")
        guard
            let rows = try budget.rows(
                call.store, "SELECT DISTINCT _k >> 24 FROM Provenance_target WHERE reference IN (\(marks)) LIMIT \(Self.most)",
                texts.map { .text($0) })
        else {
            isWhole = false
            return
        }
        guard !rows.isEmpty else { return }
        let transaction = call.transaction
        var valid: [ResourceSignature] = []
        do { valid = try transaction.validSignatures(of: resource) } catch let error as any FireLiteError {
            problems.append(PageProblem(error).remedy)
        }
        statements = try rows.compactMap { row in
            guard let number = row[0].integer, let provenance = try transaction.resource(number: number) else { return nil }
            let signature = valid.first { $0.provenanceID == provenance.id }
            return Statement(
                id: provenance.id,
                recorded: ElementValues.at("recorded", of: provenance, limit: 1).first.flatMap { Summary.text($0) },
                agents: provenance.children("agent").prefix(3).compactMap { agent in
                    ElementValues.at("who", of: agent, limit: 1).first.flatMap { Summary.text($0) }
                        ?? ElementValues.at("actor", of: agent, limit: 1).first.flatMap { Summary.text($0) }
                },
                standing: try standing(provenance, signature))
        }
    }

    private func standing(_ provenance: FHIRResource, _ signature: ResourceSignature?) throws -> Statement.Standing {
        if let signature { return .holds(signature, try call.transaction.identity(signature.signer)) }
        let signatures = provenance.children("signature")
        guard !signatures.isEmpty else { return .unsigned }
        return signatures.contains { ElementValues.text("sigFormat", of: $0) == MediaType.jose } ? .fails : .unknownForm
    }

    private mutating func readOutbox(_ budget: TimeBudget) throws {
        let path = "\(type)/\(id)"
        guard
            let rows = try budget.rows(
                call.store,
                "SELECT seq FROM _outbox WHERE path = ? OR substr(path, 1, ?) IN (?, ?) ORDER BY seq LIMIT \(Self.most)",
                [.text(path), .integer(Int64(path.unicodeScalars.count + 1)), .text(path + "/"), .text(path + "?")])
        else {
            isWhole = false
            return
        }
        let transaction = call.transaction
        do {
            outbox = try rows.compactMap { row in try row[0].integer.flatMap { try transaction.outboxEntry($0) } }
        } catch let error as any FireLiteError {
            problems.append(PageProblem(error).remedy)
        }
    }

    private mutating func readStandings() throws {
        do { standings = try call.transaction.syncStandings(of: type, id: id) } catch let error as any FireLiteError {
            problems.append(PageProblem(error).remedy)
        }
    }

    // MARK: - Answers

    /// Who made a version, by the audit trail, or from where it came, by the log; nil if neither says.
    func maker(of version: Int64) -> String? {
        if let entry = entries.first(where: { $0.access.version == version && [.create, .update].contains($0.access.action) }) {
            return entry.party.actor + (entry.party.purpose.map { ", for \($0)" } ?? "")
        }
        return log.first { $0.version == version && $0.kind != "deleted" }.map { $0.isFromServer ? "a server" : "this device or app" }
    }

    /// The state with a server, with the changes that its list does not contain yet.
    func state(_ standing: SyncStanding) -> SyncState? {
        if standing.state == .conflict || standing.state == .parked { return standing.state }
        if let taken = standing.taken, log.contains(where: { $0.number > taken && !$0.isFromServer }) { return .pending }
        return standing.state
    }
}

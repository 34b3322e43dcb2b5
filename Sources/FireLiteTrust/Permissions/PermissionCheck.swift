import FireLite
import FireLiteCore
import Foundation

/// Compares recorded statements with the Consents, the signatures and the audit trail.
struct PermissionCheck {
    /// Consents whose signatures are read together.
    private static let batch = 256

    private let transaction: ReadTransaction

    init(_ transaction: ReadTransaction) { self.transaction = transaction }

    func findings() throws -> [StoreFinding] {
        guard transaction.store.release.resourceLayout(named: "Consent") != nil else { return [] }
        let statements = try transaction.statements()
        // Consents whose denials hold although they do not say so themselves.
        let held = try unlessDamaged {
            try Set(transaction.permissions().filter { $0.standing == .denialsOnly }.map(\.permission.id))
        }
        let undecided =
            held == nil
            ? [finding("the permissions cannot be decided, as a Consent or a signature of one is damaged: restore a backup")] : []
        let unrecorded = try unrecorded(statements)
        return try authorities() + keys() + lost(besides: Set(statements.map(\.signer))) + damaged(statements) + undecided
            + statements.compactMap { statement in try unlessDamaged { try fault(of: statement, held ?? []) } ?? nil }
            + (unrecorded.isEmpty ? missing() : unrecorded)
    }

    /// Nil if a resource that is needed cannot be read, which the store's own check reports.
    private func unlessDamaged<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as FHIRStoreError where error.code == .notAStore {
            return nil
        }
    }

    private func finding(_ text: String) -> StoreFinding { StoreFinding(.mismatch, table: "_permission", typeName: "Consent", text) }

    /// Authorities that are none.
    private func authorities() throws -> [StoreFinding] {
        try transaction.identities().filter { !$0.authority.isUsable(in: transaction.store.release) }.map { _ in
            StoreFinding(
                .mismatch, table: "_trust_identity",
                "the authority of an identity is no compartment: it permits nothing, and its denials hold everywhere; set it again")
        }
    }

    private func finding(key: String?, _ text: String) -> StoreFinding {
        StoreFinding(
            .mismatch, table: "_trust_key", "_trust_key: \(key.map { "a key of the identity \($0)" } ?? "a key of a lost identity") \(text)"
        )
    }

    /// Rows of keys that say less than was written.
    private func keys() throws -> [StoreFinding] {
        try transaction.rows(of: TrustTables.module, "SELECT identity, kid, jwk, begins, ends FROM _trust_key ORDER BY number").flatMap {
            row in
            var findings: [StoreFinding] = []
            if row[0].text == nil { findings.append(finding(key: nil, "verifies nothing: restore a backup")) }
            let key = PublicKey(row[2])
            if key == nil || key?.id != row[1].text {
                findings.append(finding(key: row[0].text, "cannot be read: its signatures count for nothing; add the key again"))
            }
            if row[3].integer == nil {
                findings.append(finding(key: row[0].text, "has lost the beginning of its period: it is never valid; add the key again"))
            }
            if row[4] != .null, row[4].integer == nil {
                findings.append(finding(key: row[0].text, "has an end that is no time: it is not valid any more; restore a backup"))
            }
            return findings
        }
    }

    /// Identities that are lost, and authorities. Those that signed statements are found with these.
    private func lost(besides signers: Set<String>) throws -> [StoreFinding] {
        let lost = try transaction.lostIdentities()
        func finding(_ text: String) -> StoreFinding {
            StoreFinding(.mismatch, table: "_trust_identity", "_trust_identity: \(text)")
        }
        var findings = Set(lost.keys.keys).subtracting(signers).sorted().map {
            finding("the identity \($0) is lost, and its keys or statements are there: add it again, or restore a backup")
        }
        findings += lost.authorities.sorted().map {
            finding("the authority of the identity \($0) is lost: it permits nothing, and its denials hold everywhere; set it again")
        }
        let missing = try transaction.lostIdentityRows()
        if missing > lost.keys.count {
            let identities = String(counting: Int(missing) - lost.keys.count, "identity is", "identities are")
            findings.append(
                finding("\(identities) lost\(lost.hidesOwner ? ", and the owner may be among them" : ""): \(LostIdentities.remedy)"))
        }
        if !lost.signingKeys.isEmpty {
            findings.append(finding("all identities are lost, and Consents are signed: restore a backup"))
        }
        return findings
    }

    /// Statements that nothing but their noted number knows of.
    private func missing() throws -> [StoreFinding] {
        let count = try transaction.lostStatementRows()
        guard count > 0 else { return [] }
        let statements = String(counting: Int(count), "statement about a Consent is", "statements about Consents are")
        return [finding("_permission: \(statements) lost, so what they denied may be permitted: \(LostIdentities.remedy)")]
    }

    /// Rows that differ from what was signed.
    private func damaged(_ statements: [ConsentStatement]) -> [StoreFinding] {
        let count = statements.count(where: \.isDamaged)
        let rows = String(
            counting: count, "statement about a Consent is damaged or does not match its signature",
            "statements about Consents are damaged or do not match their signatures")
        return count == 0
            ? [] : [finding("_permission: \(rows): what may be denied holds; restore a backup, or revoke as the owner of the store")]
    }

    /// The fault of a statement.
    private func fault(of statement: ConsentStatement, _ held: Set<String>) throws -> StoreFinding? {
        if statement.isDamaged { return nil }
        guard try transaction.identity(statement.signer) != nil else {
            return finding("the identity that signed a statement about a Consent is lost: its denials hold everywhere; add it again")
        }
        let content = Data(statement.content.utf8)
        guard statement.isActive, held.contains(statement.consent) else { return nil }
        guard let consent = try transaction.resource(typeName: "Consent", id: statement.consent) else {
            return finding("a Consent was deleted and never revoked: what it denies holds")
        }
        if try CanonicalJSON.data(consent) == content { return nil }
        if try !transaction.validSignatures(of: consent).isEmpty { return nil }
        return StoreFinding(
            .mismatch, table: "_permission", typeName: "Consent", number: transaction.number(of: consent),
            "a Consent is not what was signed: it permits nothing, and what it denied holds; sign it, revoke it or put it back")
    }

    /// Newer statements than those in `_permission` that the audit trail knows of, or that signatures of the store's Consents make.
    private func unrecorded(_ statements: [ConsentStatement]) throws -> [StoreFinding] {
        var versions: [String: Int64] = [:]
        for statement in statements { versions[Self.key(statement.consent, statement.signer)] = statement.version }
        let rows = try transaction.rows(
            of: AuditTables.module,
            "SELECT id, actor, max(version) FROM _audit WHERE type = 'Consent' AND action = 'E' AND version IS NOT NULL GROUP BY id, actor")
        let audited = rows.compactMap { row -> String? in
            guard let id = row[0].text, let signer = row[1].text, let version = row[2].integer else { return nil }
            let key = Self.key(id, signer)
            return versions[key] ?? -1 < version ? key : nil
        }
        let signed = try newerSignatures(than: versions).subtracting(audited)
        return audited.map { _ in
            finding("the audit trail has a newer statement about a Consent than _permission: restore a backup or import a newer export")
        }
            + signed.map { _ in
                finding("a Consent has a valid signature whose statement _permission does not have: restore a backup, or sign it again")
            }
    }

    private static func key(_ consent: String, _ signer: String) -> String { "\(consent) \(signer)" }

    /// The Consents and signers of valid signatures that are newer than what is recorded.
    private func newerSignatures(than versions: [String: Int64]) throws -> Set<String> {
        guard let layout = transaction.store.release.resourceLayout(named: "Consent") else { return [] }
        var found: Set<String> = []
        let keys = try transaction.places(QueryRequest(layout)).map(\.key)
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            var contents: [String: Data] = [:]
            for consent in try readable(Array(keys[start..<min(start + Self.batch, keys.count)])) {
                if let id = consent.id { contents[id] = try CanonicalJSON.data(consent) }
            }
            for provenance in try readable(transaction.keysOfSignatures(about: contents.keys)) {
                let item = try JSONItem.read(FHIRJSON.data(provenance))
                for target in SignatureCoding.targets(item) where target.hasPrefix("Consent/") {
                    let id = String(target.dropFirst("Consent/".count))
                    guard let content = contents[id] else { continue }
                    for statement in try transaction.statements(in: item, about: id, present: content) {
                        let key = Self.key(id, statement.signer)
                        if versions[key] ?? -1 < statement.version { found.insert(key) }
                    }
                }
            }
        }
        return found
    }

    /// Those of some resources that can be read.
    private func readable(_ keys: [Int64]) throws -> [FHIRResource] {
        if let all = try unlessDamaged({ try transaction.resources(keys: keys) }) { return all }
        return try keys.flatMap { key in try unlessDamaged { try transaction.resources(keys: [key]) } ?? [] }
    }
}

/// The rule of a Consent that decides about a resource.
struct DecidingRule: Sendable {
    let consentID: String
    let kind: AccessPermission.Kind
    /// The place of the rule in the Consent.
    let provision: [Int]
    let specificity: Int

    /// Whether the rule is the one to name: a denial, and of rules that decide alike the most specific.
    func isBetter(than other: DecidingRule) -> Bool {
        guard kind == other.kind else { return kind == .deny }
        return (provision.count, specificity) > (other.provision.count, other.specificity)
    }
}

/// Whether a request is permitted, and which rule decides.
public struct PermissionDecision: Sendable, Hashable {
    /// Whether the request is permitted.
    public let isPermitted: Bool
    /// The id of the Consent that decides; nil if none covers the request, which denies it.
    public let consentID: String?
    /// The position of the rule in the Consent: 0 for the outermost provision, then the numbers of the exceptions.
    public let provision: [Int]
}

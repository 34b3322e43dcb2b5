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
        let held = try Set(transaction.permissions().filter { $0.standing == .denialsOnly }.map(\.permission.id))
        return try authorities() + damaged(statements) + statements.compactMap { try fault(of: $0, held) } + unrecorded(statements)
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

    /// Rows that have lost a part of their statement.
    private func damaged(_ statements: [ConsentStatement]) -> [StoreFinding] {
        let count = statements.count(where: \.isDamaged)
        let rows = String(counting: count, "statement about a Consent is damaged", "statements about Consents are damaged")
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
        do {
            let jws = try JWS(statement.signature, payload: content)
            guard try transaction.identity(withKey: jws.keyID ?? "")?.id == statement.signer else {
                return finding("a statement about a Consent was signed with a key that its signer does not have: what it denies holds")
            }
            _ = try transaction.verify(statement.signature, of: content)
        } catch let error as TrustError where error.code == .keyNotValid {
            // The key was ended afterwards.
        } catch is TrustError {
            return finding("a statement about a Consent does not match its signature: restore a backup")
        }
        guard statement.isAsSigned else {
            return finding("the row of a statement about a Consent does not say what was signed, which holds: restore a backup")
        }
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
            for consent in try transaction.resources(keys: Array(keys[start..<min(start + Self.batch, keys.count)])) {
                if let id = consent.id { contents[id] = try CanonicalJSON.data(consent) }
            }
            for provenance in try transaction.signatures(about: contents.keys) {
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

import FireLite
import FireLiteCore
import Foundation

extension WriteTransaction {
    /// Resources that are looked for with a statement.
    private static let batch = 256

    /// Records the statements of written Consents and Provenances, and restores a newer statement that an older one, or none, has replaced.
    func recordStatements(consents: [String], provenances: [String]) throws {
        var present = PresentConsents(self)
        let written = Set(provenances)
        for id in provenances {
            guard let resource = try resource(typeName: "Provenance", id: id) else { continue }
            try recordStatements(in: JSONItem.read(FHIRJSON.data(resource)), &present, isWritten: true)
        }
        for start in stride(from: 0, to: consents.count, by: Self.batch) {
            for resource in try signatures(about: consents[start..<min(start + Self.batch, consents.count)]) {
                if let id = resource.id, written.contains(id) { continue }
                try recordStatements(in: JSONItem.read(FHIRJSON.data(resource)), &present, isWritten: false)
            }
        }
        try noteStatementRows()
    }

    /// Records the statements of a Provenance about Consents.
    ///
    /// - Parameter consents: the canonical JSON of Consents, by id.
    func recordStatements(in provenance: JSONItem, present consents: [String: Data]) throws {
        var present = PresentConsents(self, consents)
        try recordStatements(in: provenance, &present, isWritten: false)
        try noteStatementRows()
    }

    /// Records what all signatures in the store state about Consents.
    func recordAllStatements() throws {
        // So that the file has the table, and later writes need not look again.
        try run(on: PermissionTables.module, "DELETE FROM _permission WHERE number < 0")
        guard let layout = store.release.resourceLayout(named: "Provenance"), let signature = layout.element(named: "signature") else {
            return
        }
        var request = QueryRequest(layout)
        request.predicate = .exists(QueryPath([PathStep(slot: signature.slot)]))
        let keys = try places(request).map(\.key)
        var present = PresentConsents(self)
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            for resource in try resources(keys: Array(keys[start..<min(start + Self.batch, keys.count)])) {
                try recordStatements(in: JSONItem.read(FHIRJSON.data(resource)), &present, isWritten: false)
            }
        }
        try noteStatementRows()
    }

    /// - Parameter isWritten: whether the Provenance was written just now, so that it may have taken the place of another one.
    private func recordStatements(in provenance: JSONItem, _ present: inout PresentConsents, isWritten: Bool) throws {
        var stated: [ConsentStatement] = []
        for target in SignatureCoding.targets(provenance) where target.hasPrefix("Consent/") {
            let id = String(target.dropFirst("Consent/".count))
            for statement in try statements(in: provenance, about: id, present: present[id]) {
                stated.append(statement)
                guard try record(statement, hasConsent: present[id] != nil) else { continue }
                try store.auditTrail?.append(
                    [AuditAccess(.execute, "Consent", id: id, version: statement.version)], by: AuditParty(statement.signer), in: self)
            }
        }
        guard isWritten, let id = provenance["id"]?.text, let known = try statement(withProvenance: id),
            !stated.contains(where: { $0.signer == known.signer && $0.consent == known.consent && !known.isNewer(than: $0) })
        else { return }
        _ = try self.store([known.provenance(store.release)])
        // An older Consent that came along with its own signature is put back too.
        let isOlder = try stated.contains { try $0.consent == known.consent && Data($0.content.utf8) == present[known.consent] }
        if isOlder { _ = try self.store([known.resource(store.release)]) }
    }
}

extension ReadTransaction {
    /// The Provenances that refer to Consents.
    func signatures(about consents: some Collection<String>) throws -> [FHIRResource] {
        try resources(keys: keysOfSignatures(about: consents))
    }

    /// The keys of these Provenances.
    func keysOfSignatures(about consents: some Collection<String>) throws -> [Int64] {
        guard let layout = store.release.resourceLayout(named: "Provenance"), let target = layout.element(named: "target") else {
            return []
        }
        var request = QueryRequest(layout)
        request.predicate = .refers(QueryPath([PathStep(slot: target.slot)]), consents.map { "Consent/\($0)" })
        return try places(request).map(\.key)
    }
}

/// The present canonical JSON of Consents, each read once.
private struct PresentConsents {
    private let transaction: ReadTransaction
    private var known: [String: Data?]

    init(_ transaction: ReadTransaction, _ known: [String: Data] = [:]) {
        self.transaction = transaction
        self.known = known
    }

    subscript(id: String) -> Data? {
        mutating get throws {
            if let known = known[id] { return known }
            let data = try transaction.resource(typeName: "Consent", id: id).map { try CanonicalJSON.data($0) }
            known[id] = .some(data)
            return data
        }
    }
}

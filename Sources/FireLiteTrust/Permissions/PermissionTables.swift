import FireLite
import FireLiteCore

/// The table of signers' statements about Consents. It is a module of its own, as files without permissions do not have it.
enum PermissionTables {
    /// A row for each Consent and signer: the newest statement whose signature was verified. Its content is the signed canonical JSON, so
    /// the row has the signer's statement whatever happens to the Consent and its Provenance. A row is only replaced by a newer statement.
    private static let statements = ModuleTable(
        "_permission", key: "number",
        columns: [
            .init("consent", .text), .init("signer", .text), .init("version", .integer), .init("moment", .integer),
            .init("active", .integer), .init("content", .text), .init("signature", .text), .init("provenance", .text),
        ], indexes: [.init("consent", "signer", isUnique: true), .init("provenance")])

    static let module = ModuleTables(module: "permission", version: 1, tables: [statements])
}

extension ReadTransaction {
    /// The newest statements of each signer about Consents, in the order in which they were first recorded.
    ///
    /// - Parameter consent: the id of a Consent; nil for all.
    func statements(about consent: String? = nil) throws -> [ConsentStatement] {
        let condition = consent == nil ? "" : "WHERE consent = ? OR consent IS NULL"
        let found = try rows(
            of: PermissionTables.module, "SELECT \(ConsentStatement.columns) FROM _permission \(condition) ORDER BY number",
            consent.map { [.text($0)] } ?? []
        ).map { try statement($0) }
        return consent == nil ? found : found.filter { $0.consent == consent }
    }

    /// The statement of a row.
    fileprivate func statement(_ row: SQLRow) throws -> ConsentStatement { try ConsentStatement(row) { try key(withID: $0) } }

    /// The whole statement whose Provenance has an id; nil if there is none.
    func statement(withProvenance id: String) throws -> ConsentStatement? {
        try rows(
            of: PermissionTables.module, "SELECT \(ConsentStatement.columns) FROM _permission WHERE provenance = ?", [.text(id)]
        ).map { try statement($0) }.first { !$0.isDamaged }
    }

    /// The version of the next statement about a Consent: above all recorded ones, and those that this write has signed.
    func nextStatementVersion(about consent: String) throws -> Int64 {
        var last = try statements(about: consent).map(\.version).max() ?? 0
        for provenance in try withoutRecord({ try ownProvenances(of: "Consent", consent) }) {
            for text in try SignatureCoding.signatures(JSONItem.read(FHIRJSON.data(provenance))) {
                do { last = max(last, SignatureCoding.version(of: try JWS(text))) } catch is TrustError { continue }
            }
        }
        return min(last + 1, ConsentStatement.versions.upperBound)
    }
}

extension WriteTransaction {
    /// Records a statement instead of an older one of the same signer.
    ///
    /// - Parameter hasConsent: whether the store has the Consent. A Consent that the store never had at a commit was not in force, so
    ///   nothing of it holds.
    /// - Returns: whether it is new.
    func record(_ statement: ConsentStatement, hasConsent: Bool) throws -> Bool {
        let known = try rows(
            of: PermissionTables.module, "SELECT \(ConsentStatement.columns) FROM _permission WHERE consent = ? AND signer = ?",
            [.text(statement.consent), .text(statement.signer)]
        ).first
        let values: [SQLValue] = [
            .integer(statement.version), .integer(statement.moment), .integer(statement.isActive ? 1 : 0), .text(statement.content),
            .text(statement.signature), .text(statement.provenanceID), .text(statement.consent), .text(statement.signer),
        ]
        func add() throws -> Bool {
            guard hasConsent || !statement.isActive else { return false }
            try run(
                on: PermissionTables.module,
                """
                INSERT INTO _permission(version, moment, active, content, signature, provenance, consent, signer)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, values)
            return true
        }
        guard let known else { return try add() }
        let former = try self.statement(known)
        // A damaged row may be somebody else's. Then it stays, without a signer.
        if former.isDamaged, former.signer != statement.signer, try identity(statement.signer)?.authority != .everything {
            try run(
                on: PermissionTables.module, "UPDATE _permission SET signer = NULL WHERE consent = ? AND signer = ?",
                [.text(statement.consent), .text(statement.signer)])
            return try add()
        }
        // The statement that a damaged row has lost replaces it, and none before it does.
        if former.isDamaged ? statement.version < former.version : !statement.isNewer(than: former) { return false }
        try run(
            on: PermissionTables.module,
            """
            UPDATE _permission SET version = ?, moment = ?, active = ?, content = ?, signature = ?, provenance = ?
            WHERE consent = ? AND signer = ?
            """, values)
        return true
    }
}

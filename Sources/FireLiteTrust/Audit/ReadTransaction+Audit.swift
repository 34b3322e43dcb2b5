import FireLite
import FireLiteCrypto

extension ReadTransaction {
    // MARK: - Heads

    /// The last head of the store's audit trail; nil if it has none.
    ///
    /// - Throws: `AuditError.damaged` if it cannot be read; `FHIRStoreError`.
    public func lastAuditHead() throws -> AuditHead? {
        try heads("SELECT token FROM _audit_head ORDER BY number DESC LIMIT 1").first
    }

    /// The heads of the store's audit trail in order.
    ///
    /// - Parameters:
    ///   - number: heads after this number are returned. Default: 0, for all heads.
    ///   - limit: the maximum number of heads. Default: all.
    /// - Throws: `AuditError.damaged` if one cannot be read; `FHIRStoreError`.
    public func auditHeads(after number: Int64 = 0, limit: Int? = nil) throws -> [AuditHead] {
        try heads(
            "SELECT token FROM _audit_head WHERE number > ? ORDER BY number LIMIT ?",
            [.integer(number), .integer(Int64(limit ?? -1))])
    }

    /// The first head that covers a row.
    func auditHead(covering row: Int64) throws -> AuditHead? {
        func size(_ sql: String, _ arguments: [SQLValue] = []) throws -> (number: Int64, size: Int64)? {
            try auditRows(sql, arguments).first.map { ($0[0].integer ?? 0, $0[1].integer ?? 0) }
        }
        guard let last = try size("SELECT number, size FROM _audit_head ORDER BY number DESC LIMIT 1"), last.size >= row else { return nil }
        // The head is after `low` and not after `high`.
        var (low, high) = (0 as Int64, last.number)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let sql = "SELECT number, size FROM _audit_head WHERE number >= ? ORDER BY number LIMIT 1"
            guard let found = try size(sql, [.integer(middle)]) else { return nil }
            if found.size >= row { high = middle } else { low = found.number }
        }
        return try heads("SELECT token FROM _audit_head WHERE number >= ? ORDER BY number LIMIT 1", [.integer(high)]).first
    }

    private func heads(_ sql: String, _ arguments: [SQLValue] = []) throws -> [AuditHead] {
        try auditRows(sql, arguments).map { row in
            guard let head = try? AuditHead(token: row[0].text ?? "") else {
                throw AuditError(.damaged, "a head of the audit trail cannot be read: verify the trail")
            }
            return head
        }
    }

    // MARK: - Entries

    /// The entries of the store's audit trail in order, without pruned ones.
    ///
    /// - Parameters:
    ///   - number: entries after this row are returned. Default: 0, for all rows.
    ///   - limit: the maximum number of entries. Default: all.
    /// - Throws: `AuditError.damaged` if one cannot be read; `FHIRStoreError`.
    public func auditEntries(after number: Int64 = 0, limit: Int? = nil) throws -> [AuditEntry] {
        try entries(
            "WHERE seq > ? AND salt IS NOT NULL ORDER BY seq LIMIT ?", [.integer(number), .integer(Int64(limit ?? -1))])
    }

    /// The entries about one resource, in order.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the resource's id.
    /// - Complexity: reads the whole trail.
    /// - Throws: `AuditError.damaged` if one cannot be read; `FHIRStoreError`.
    public func auditEntries(about typeName: String, id: String) throws -> [AuditEntry] {
        try entries("WHERE type = ? AND id = ? ORDER BY seq", [.text(typeName), .text(id)])
    }

    private func entries(_ rest: String, _ arguments: [SQLValue]) throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        try forEachRow(of: AuditTables.module, "SELECT \(AuditRow.columns) FROM _audit \(rest)", arguments) { row in
            guard let entry = AuditRow(row).entry else {
                throw AuditError(.damaged, "row \(row[0].integer ?? 0) of the audit trail cannot be read: verify the trail")
            }
            entries.append(entry)
            return true
        }
        return entries
    }

    /// A row; nil if there is none.
    func auditRow(_ number: Int64) throws -> AuditRow? {
        try auditRows("SELECT \(AuditRow.columns) FROM _audit WHERE seq = ?", [.integer(number)]).first.map { AuditRow($0) }
    }

    // MARK: - The tree

    /// The root of 2^level rows that begin at `index` times as many, from the stored nodes and leaves.
    ///
    /// - Throws: `AuditError.damaged` if one is missing; `FHIRStoreError`.
    func auditSubtree(level: Int, index: Int64) throws -> [UInt8] {
        if level >= AuditTables.lowestLevel {
            let key = AuditTables.key(level: level, index: index)
            if let hash = try auditRows("SELECT hash FROM _audit_node WHERE node = ?", [key]).first?[0].bytes { return hash }
            throw AuditError(.damaged, "a node of the audit trail is missing: verify the trail")
        }
        let width = 1 << Int64(level) as Int64
        let first = index * width + 1
        var frontier = MerkleFrontier()
        let hasher = SHA256Hasher()
        for row in try auditRows(
            "SELECT hash FROM _audit WHERE seq BETWEEN ? AND ? ORDER BY seq", [.integer(first), .integer(first + width - 1)])
        {
            guard let hash = row[0].bytes, hash.count == MerkleTree.hashLength else {
                throw AuditError(.damaged, "a row of the audit trail has no hash: verify the trail")
            }
            hash.withUnsafeBytes { frontier.append($0, hasher) }
        }
        guard frontier.size == width else { throw AuditError(.damaged, "a row of the audit trail is missing: verify the trail") }
        return frontier.root
    }
}

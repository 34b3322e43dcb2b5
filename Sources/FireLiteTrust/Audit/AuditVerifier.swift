import FireLite
import FireLiteCrypto

/// Verifies a trail: every row against its hash, the hashes against each signed head, the heads against each other and against kept ones.
struct AuditVerifier {
    private let tx: ReadTransaction
    /// The heads that were kept, by number.
    private let kept: [AuditHead]
    private let isSigned: (AuditHead) throws -> Bool
    private var result = AuditVerification()
    private var finding: AuditFinding?

    /// The heads in the file up to the first that does not match.
    private var heads: [AuditHead] = []
    /// The heads with which the rows are compared, by size, and the next of them.
    private var boundaries: [AuditHead] = []
    private var next = 0
    private var frontier = MerkleFrontier()
    private let hasher = SHA256Hasher()
    private var nodes: [Int64: [UInt8]] = [:]
    /// The first stored node that does not match its rows.
    private var wrongNode: (level: Int, rows: ClosedRange<Int64>)?
    /// Rows without values, and rows that say that values were removed.
    private var emptied: [ClosedRange<Int64>] = []
    private var pruned: [ClosedRange<Int64>] = []

    init(_ tx: ReadTransaction, kept: [AuditHead], isSigned: @escaping (AuditHead) throws -> Bool) {
        self.tx = tx
        self.kept = kept.sorted { $0.number < $1.number }
        self.isSigned = isSigned
    }

    /// Verifies the trail.
    ///
    /// - Throws: `AuditError.invalidSignature` for a kept head that is not signed; `FHIRStoreError`; `CancellationError`.
    mutating func run() throws -> AuditVerification {
        for head in kept where try !isSigned(head) {
            throw AuditError(.invalidSignature, "\(head) was not signed with a known key: give the head as it was handed out")
        }
        try readHeads()
        try readRows()
        checkKept()
        // A trail begins with a head of no rows.
        if result.headCount == 0, result.size == 0 { note(.missing, 1, "there is no audit trail: it never began, or was removed") }
        checkEmptied()
        checkNodes()
        result.finding = finding
        return result
    }

    /// Notes a finding if no row before it has one. Of the same row, the first counts.
    private mutating func note(_ kind: AuditFinding.Kind, _ row: Int64, _ text: String) {
        if let finding, finding.row <= row { return }
        finding = AuditFinding(kind, row, text)
    }

    // MARK: - Heads

    private mutating func readHeads() throws {
        var last: AuditHead?
        var broken: (Int64, String)?
        var count: Int64 = 0
        try tx.forEachRow(of: AuditTables.module, "SELECT number, size, at, root, token FROM _audit_head ORDER BY number") { row in
            count += 1
            let number = row[0].integer ?? 0
            guard broken == nil else { return true }
            // Counting wraps around instead of trapping: heads come from the file.
            let first = (last?.size ?? 0) &+ 1
            guard number == (last?.number ?? 0) &+ 1 else {
                broken = (first, "head \((last?.number ?? 0) &+ 1), which covers row \(first), is missing")
                return true
            }
            guard let head = try? AuditHead(token: row[4].text ?? ""), head.number == number, head.size == row[1].integer,
                head.milliseconds == row[2].integer, head.root == row[3].bytes, head.previous == last?.digest,
                head.trail == last?.trail ?? head.trail, head.size >= last?.size ?? 0, try isSigned(head)
            else {
                broken = (first, "head \(number), which covers row \(first), was changed")
                return true
            }
            heads.append(head)
            last = head
            return true
        }
        result.headCount = count
        result.head = last
        if let broken { note(.head, broken.0, broken.1) }
    }

    // MARK: - Rows

    private mutating func readRows() throws {
        nodes = try Dictionary(
            tx.auditRows("SELECT node, hash FROM _audit_node").map { ($0[0].integer ?? 0, $0[1].bytes ?? []) },
            uniquingKeysWith: { first, _ in first })
        let trail = heads.first?.trail
        boundaries = (heads + kept.filter { $0.trail == trail }).sorted { $0.size < $1.size }
        var count: Int64 = 0
        let hasBrokenHead = finding != nil
        var isMatching = matchesHeads()
        try tx.forEachRow(of: AuditTables.module, "SELECT \(AuditRow.columns) FROM _audit ORDER BY seq") { values in
            let row = AuditRow(values)
            count += 1
            guard isMatching else { return true }
            let expected = frontier.size + 1
            if row.number < expected {
                note(.unexpected, row.number, "row \(row.number) has no number that a trail gives")
            } else if row.number > expected {
                note(.missing, expected, "row \(expected) is missing")
            } else if !hasBrokenHead, expected > heads.last?.size ?? 0 {
                note(.unexpected, expected, "row \(expected) is in no signed head")
            } else if !row.isWellFormed || row.hash.count != MerkleTree.hashLength || row.computedHash ?? row.hash != row.hash {
                note(.changed, expected, "row \(expected) was changed")
            } else {
                append(row)
                isMatching = matchesHeads()
                return true
            }
            isMatching = false
            return true
        }
        result.size = count
        guard isMatching else { return }
        if let last = heads.last, !hasBrokenHead, frontier.size < last.size {
            note(.missing, frontier.size + 1, "row \(frontier.size + 1) and all later ones are missing")
        }
    }

    /// Whether the rows so far are those of each head of that size.
    private mutating func matchesHeads() -> Bool {
        while next < boundaries.count, boundaries[next].size == frontier.size {
            guard boundaries[next].root == frontier.root else {
                let first = next > 0 ? boundaries[next - 1].size + 1 : 1
                note(.rewritten, first, "the rows from \(first) to \(frontier.size) are not those that were signed")
                return false
            }
            next += 1
        }
        return true
    }

    private mutating func append(_ row: AuditRow) {
        if row.entry == nil {
            result.prunedCount += 1
            if let last = emptied.last, last.upperBound == row.number - 1 {
                emptied[emptied.count - 1] = last.lowerBound...row.number
            } else {
                emptied.append(row.number...row.number)
            }
        } else if let range = row.entry?.prunedRows {
            pruned.append(range)
        }
        var completed: [(level: Int, index: Int64, hash: [UInt8])] = []
        row.hash.withUnsafeBytes {
            frontier.append($0, hasher) { level, index, hash in
                if level >= AuditTables.lowestLevel { completed.append((level, index, Array(hash))) }
            }
        }
        for (level, index, hash) in completed {
            let stored = nodes.removeValue(forKey: index << 6 | Int64(level))
            let first = index << Int64(level) + 1
            if stored != hash, first < wrongNode?.rows.lowerBound ?? .max {
                wrongNode = (level, first...(index + 1) << Int64(level))
            }
        }
    }

    /// Notes a wrong node, unless a row below it is wrong anyway.
    private mutating func checkNodes() {
        if let wrongNode, wrongNode.rows.upperBound < finding?.row ?? .max {
            let row = wrongNode.rows.lowerBound
            note(.node, row, "the node of level \(wrongNode.level) over row \(row) does not match its rows")
        } else if finding == nil, let key = nodes.keys.min() {
            let level = key & 63
            let row = level < 40 && key > 0 ? (key >> 6) << level &+ 1 : 1
            note(.node, row, "a node over row \(row) is in no tree")
        }
    }

    // MARK: - What was kept

    private mutating func checkKept() {
        for head in kept {
            guard let trail = heads.first?.trail else {
                // Without a matching head, the first one was already reported, or everything is missing.
                note(.missing, 1, "the trail has no head")
                continue
            }
            guard head.trail == trail else {
                note(.otherTrail, 1, "\(head) was kept of another trail")
                continue
            }
            guard let last = heads.last, head.number > last.number else {
                // The file has a head with that number, which is the same or has the same content.
                if let same = heads.first(where: { $0.number == head.number }), same.size != head.size || same.root != head.root {
                    let first = (heads.last { $0.number < head.number }?.size ?? 0) &+ 1
                    note(.head, min(first, head.size), "head \(head.number) is not the one that was kept")
                }
                continue
            }
            let row = last.size &+ 1
            if head.size > last.size {
                note(.missing, row, "row \(row) and all later ones up to \(head) are missing")
            } else {
                note(.head, row, "\(head) was kept, and the trail ends with head \(last.number)")
            }
        }
    }

    // MARK: - Pruning

    private mutating func checkEmptied() {
        let recorded = pruned.sorted { $0.lowerBound < $1.lowerBound }
        for range in emptied {
            var next = range.lowerBound
            for known in recorded where known.lowerBound <= next {
                next = max(next, known.upperBound == .max ? .max : known.upperBound + 1)
            }
            if next <= range.upperBound {
                note(.emptied, next, "row \(next) has lost its values, and no entry says that they were pruned")
            }
        }
    }
}

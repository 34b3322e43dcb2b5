import FireLite

/// Rows of one commit on their way to the table, some with each statement.
///
/// The time, the actor and the purpose are the same in all of them and are bound once; so are action, type and outcome where they are.
struct AuditRowBuffer {
    private let shared: [SQLValue]
    private var accesses: [AuditAccess] = []
    /// Number, id, version, value, salt and hash of each row.
    private var cells: [SQLValue] = []

    init(at: Int64, party: AuditParty) { shared = [.integer(at), .text(party.actor), SQLValue(party.purpose)] }

    /// The rows of one statement: SQLite before 3.32 has up to 999 values.
    private static let limit = 32

    var isFull: Bool { accesses.count == Self.limit }

    mutating func append(_ number: Int64, _ access: AuditAccess, value: [UInt8]?, salt: [UInt8], hash: [UInt8]) {
        if accesses.isEmpty { cells.reserveCapacity(Self.limit * 6) }
        accesses.append(access)
        cells.append(.integer(number))
        cells.append(SQLValue(access.id))
        cells.append(access.version.map { .integer($0) } ?? .null)
        cells.append(value.map { .blob($0) } ?? .null)
        cells.append(.blob(salt))
        cells.append(.blob(hash))
    }

    /// Writes the rows, and is empty afterwards.
    ///
    /// - Throws: `FHIRStoreError`.
    mutating func write(_ tx: WriteTransaction) throws {
        guard let first = accesses.first else { return }
        let isUniform = accesses.allSatisfy { $0.action == first.action && $0.outcome == first.outcome && $0.typeName == first.typeName }
        if isFull, isUniform {
            try tx.runAudit(Self.uniformRows, shared + Self.kind(of: first) + cells)
        } else if isFull {
            try tx.runAudit(Self.mixedRows, shared + accesses.flatMap(Self.kind) + cells)
        } else {
            for (index, access) in accesses.enumerated() {
                try tx.runAudit(Self.oneRow, shared + Self.kind(of: access) + cells[index * 6..<index * 6 + 6])
            }
        }
        accesses.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
    }

    private static func kind(of access: AuditAccess) -> [SQLValue] {
        [.text(access.action.rawValue), SQLValue(access.typeName), .text(access.outcome.rawValue)]
    }

    // MARK: - Statements

    private static let oneRow = statement(rows: 1, kinds: 1)
    private static let uniformRows = statement(rows: limit, kinds: 1)
    private static let mixedRows = statement(rows: limit, kinds: limit)

    /// The statement for so many rows: the shared values are the parameters 1 to 3, those of the kinds follow, and then the cells.
    private static func statement(rows: Int, kinds: Int) -> String {
        let list = (0..<rows).map { row in
            let kind = 4 + (kinds == 1 ? 0 : row) * 3
            let cell = 4 + kinds * 3 + row * 6
            // In the order of `AuditRow.columns`.
            let parameters = [cell, 1, 2, kind, kind + 1, cell + 1, cell + 2, kind + 2, 3, cell + 3, cell + 4, cell + 5]
            return "(" + parameters.map { "?\($0)" }.joined(separator: ", ") + ")"
        }
        return "INSERT INTO _audit(\(AuditRow.columns)) VALUES " + list.joined(separator: ", ")
    }
}

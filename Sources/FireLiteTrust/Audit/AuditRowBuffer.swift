import FireLite
import FireLiteCrypto

/// Rows of one commit to be inserted, several per statement.
///
/// All rows share the time, the actor and the purpose, which are bound once; so are action, type and outcome if they are equal. Texts and
/// hashes are bound in place in the buffer, without copies.
struct AuditRowBuffer {
    private struct Row {
        let number: Int64
        let access: AuditAccess
        /// The place of the id among the texts.
        let id: Range<Int>?
        let hasValue: Bool
    }

    private let at: Int64
    private let party: AuditParty
    private let hasher: SHA256Hasher
    private var rows: [Row] = []
    private var texts: [UInt8] = []
    /// The salt, the value's salt, the value and the leaf of each row, one after another.
    private var hashes = [UInt8](repeating: 0, count: limit * width)
    private var leaf: [UInt8] = []
    /// An access, and the fields that the leaves of similar ones share.
    private var common: (access: AuditAccess, fields: AuditLeafFields)?

    init(at: Int64, party: AuditParty, _ hasher: SHA256Hasher) {
        (self.at, self.party, self.hasher) = (at, party, hasher)
        rows.reserveCapacity(Self.limit)
    }

    /// The rows of one statement: SQLite before 3.32 has up to 999 values.
    private static let limit = 32
    private static let valueStart = 2 * AuditSalt.length
    private static let hashStart = valueStart + MerkleTree.hashLength
    private static let width = hashStart + MerkleTree.hashLength

    var isFull: Bool { rows.count == Self.limit }

    // MARK: - Adding

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - number: its number.
    ///   - access: what it is about.
    ///   - salts: makes its salt.
    ///   - note: the salt and the hash of the resource's value; nil if there is none.
    /// - Throws: `CryptoError.system`.
    mutating func append(_ number: Int64, _ access: AuditAccess, _ salts: inout AuditSalt, note: [UInt8]?) throws {
        let start = rows.count * Self.width
        let fields = knownFields(of: access)
        let content = LeafContent(number: number, at: at, fields: fields, id: access.id, version: access.version)
        try hashes.withUnsafeMutableBytes { memory in
            let row = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + Self.width])
            try salts.take(into: row)
            let (salts, hash) = (row[..<Self.valueStart], UnsafeMutableRawBufferPointer(rebasing: row[Self.hashStart...]))
            guard let note else {
                let none: Slice<UnsafeMutableRawBufferPointer>? = nil
                return content.hash(salt: salts.prefix(AuditSalt.length), value: none, hasher, &leaf, into: hash)
            }
            // The value's salt and the value.
            UnsafeMutableRawBufferPointer(rebasing: row[AuditSalt.length..<Self.hashStart]).copyBytes(from: note)
            AuditSalt.makeLeafSalt(of: UnsafeRawBufferPointer(rebasing: salts), into: hash, hasher)
            content.hash(
                salt: hash.prefix(AuditSalt.length), value: row[Self.valueStart..<Self.hashStart], hasher, &leaf, into: hash)
        }
        var place: Range<Int>?
        if let id = access.id { place = add(id) }
        rows.append(Row(number: number, access: access, id: place, hasValue: note != nil))
    }

    private mutating func knownFields(of access: AuditAccess) -> AuditLeafFields {
        if let common, Self.areAlike(common.access, access) { return common.fields }
        let fields = AuditLeafFields(party, access)
        common = (access, fields)
        return fields
    }

    /// Whether two rows differ at most in id and version.
    private static func areAlike(_ first: AuditAccess, _ second: AuditAccess) -> Bool {
        first.action == second.action && first.outcome == second.outcome && first.typeName == second.typeName
    }

    /// The fields of a leaf besides salt and value.
    private struct LeafContent {
        let number: Int64
        let at: Int64
        let fields: AuditLeafFields
        let id: String?
        let version: Int64?

        func hash(
            salt: some Collection<UInt8>, value: (some Collection<UInt8>)?, _ hasher: SHA256Hasher, _ bytes: inout [UInt8],
            into hash: UnsafeMutableRawBufferPointer
        ) {
            bytes.removeAll(keepingCapacity: true)
            bytes.append(MerkleTree.leafPrefix)
            AuditEntry.appendLeaf(number, at, fields, id: id, version: version, value: value, salt: salt, to: &bytes)
            if let place = hash.baseAddress { bytes.withUnsafeBytes { hasher.digest(of: $0, into: place) } }
        }
    }

    private mutating func add(_ text: String) -> Range<Int> {
        let start = texts.count
        texts.append(contentsOf: text.utf8)
        return start..<texts.count
    }

    /// Calls `body` with the leaf of the row that was added last.
    func withLastLeaf(_ body: (UnsafeRawBufferPointer) -> Void) {
        let end = rows.count * Self.width
        hashes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[end - MerkleTree.hashLength..<end])) }
    }

    // MARK: - Writing

    /// Writes the rows, and is empty afterwards.
    ///
    /// - Throws: `FHIRStoreError`.
    mutating func write(_ tx: WriteTransaction) throws {
        guard let first = rows.first?.access else { return }
        let isUniform = rows.allSatisfy { Self.areAlike($0.access, first) }
        if isFull {
            try write(0..<rows.count, kinds: isUniform ? 0..<1 : 0..<rows.count, isUniform ? Self.uniformRows : Self.mixedRows, tx)
        } else {
            for index in rows.indices { try write(index..<index + 1, kinds: index..<index + 1, Self.oneRow, tx) }
        }
        rows.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ range: Range<Int>, kinds: Range<Int>, _ sql: String, _ tx: WriteTransaction) throws {
        // The texts that parameters 2 and later have, in their order.
        var shared: [Range<Int>?] = [add(party.actor)]
        shared.append(party.purpose.map { add($0) })
        for index in kinds {
            let access = rows[index].access
            shared.append(add(access.action.rawValue))
            shared.append(access.typeName.map { add($0) })
            shared.append(add(access.outcome.rawValue))
        }
        try texts.withUnsafeBytes { texts in
            try hashes.withUnsafeBytes { hashes in
                try tx.run(on: AuditTables.module, sql) { values in
                    values.bind(1, at)
                    for (index, text) in shared.enumerated() {
                        if let text { values.bind(index + 2, text: UnsafeRawBufferPointer(rebasing: texts[text])) }
                    }
                    var next = shared.count + 2
                    for index in range {
                        bind(
                            rows[index], hashes: UnsafeRawBufferPointer(rebasing: hashes[index * Self.width..<(index + 1) * Self.width]),
                            texts: texts,
                            values: values, first: next)
                        next += Self.cells
                    }
                }
            }
        }
    }

    private func bind(
        _ row: Row, hashes: UnsafeRawBufferPointer, texts: UnsafeRawBufferPointer, values: ModuleValues, first: Int
    ) {
        values.bind(first, row.number)
        if let id = row.id { values.bind(first + 1, text: UnsafeRawBufferPointer(rebasing: texts[id])) }
        if let version = row.access.version { values.bind(first + 2, version) }
        if row.hasValue { values.bind(first + 3, blob: UnsafeRawBufferPointer(rebasing: hashes[Self.valueStart..<Self.hashStart])) }
        values.bind(first + 4, blob: UnsafeRawBufferPointer(rebasing: hashes[..<(row.hasValue ? Self.valueStart : AuditSalt.length)]))
        values.bind(first + 5, blob: UnsafeRawBufferPointer(rebasing: hashes[Self.hashStart...]))
    }

    // MARK: - Statements

    /// Number, id, version, value, salt and hash of each row.
    private static let cells = 6

    private static let oneRow = statement(rows: 1, kinds: 1)
    private static let uniformRows = statement(rows: limit, kinds: 1)
    private static let mixedRows = statement(rows: limit, kinds: limit)

    /// The statement for so many rows: the shared values are the parameters 1 to 3, those of the kinds follow, and then the cells.
    private static func statement(rows: Int, kinds: Int) -> String {
        let list = (0..<rows).map { row in
            let kind = 4 + (kinds == 1 ? 0 : row) * 3
            let cell = 4 + kinds * 3 + row * cells
            // In the order of `AuditRow.columns`.
            let parameters = [cell, 1, 2, kind, kind + 1, cell + 1, cell + 2, kind + 2, 3, cell + 3, cell + 4, cell + 5]
            return "(" + parameters.map { "?\($0)" }.joined(separator: ", ") + ")"
        }
        return "INSERT INTO _audit(\(AuditRow.columns)) VALUES " + list.joined(separator: ", ")
    }
}

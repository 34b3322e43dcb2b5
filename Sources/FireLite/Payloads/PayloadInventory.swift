import FireLiteCore
import FireLiteSQLiteBridge

/// How payloads lie in their tables and files.
package enum PayloadLayout {
    /// The number of bytes of a piece of a payload, except for the last. Larger ones are no faster, and a range read starts at one.
    package static let pieceBytes = 256 << 10
    /// What sealing adds to a piece: a nonce of 12 bytes and a tag of 16.
    package static let sealBytes = 28
    /// The number of bits of a piece's key for its place.
    static let placeBits: Int64 = 24
}

/// The payloads that the resources of a file refer to, and what the file has of them.
///
/// What refers to a payload is read from the rows of the resources. `_blob_reference`, which says so too, is compared with them: it may have lost
/// rows. No module is needed for it: every program sees which payloads a file lacks.
struct PayloadInventory {
    /// A payload that a resource refers to.
    private struct Item {
        let root: Int64
        let typeName: String
        let text: PayloadText
        /// What is wrong with it in the database; nil if nothing is.
        var fault: (table: String, text: String)?
        /// The file that it is in, and the size of that.
        var file: (name: String, bytes: Int)?
    }

    private let connection: Connection
    private let schema: StorageSchema
    private let hasBlobs: Bool
    private var items: [Item] = []
    /// Rows of `_blob_reference` that are missing or refer to nothing.
    private var disagreements: [(root: Int64, text: String)] = []

    /// Reads the references of all resources; nil for a file that keeps no payloads apart.
    ///
    /// - Throws: `SQLiteError`.
    init?(_ connection: Connection, _ schema: StorageSchema) throws {
        self.connection = connection
        self.schema = schema
        let hasReferences = schema.moduleDefinitions[PayloadKeeping.referenceTable] != nil
        hasBlobs = schema.moduleDefinitions["_blob"] != nil
        // A file that has lost its tables notes that: see `noteLostTables`.
        guard try hasBlobs || hasReferences || PayloadKeeping.isIncomplete(connection) else { return nil }
        var blobs: [[UInt8]: (number: Int64, bytes: Int64)] = [:]
        var referring: [Int64: Set<Int64>] = [:]
        try PayloadColumns(connection, schema).visit { table, root, text in
            var item = Item(root: root, typeName: table.resourceName, text: text)
            let hash = text.hash
            let blob = try blobs[hash] ?? self.blob(hash)
            if let blob {
                blobs[hash] = blob
                referring[root, default: []].insert(blob.number)
                try examine(blob, &item)
            } else {
                item.fault = ("_blob", "is missing")
            }
            items.append(item)
        }
        if hasBlobs && hasReferences { disagreements = try compare(referring) }
    }

    /// Makes tables of payloads again that a recovered file has lost, so that it can be used while it has the payloads' own rows: what refers to
    /// payloads is read from the resources.
    ///
    /// - Throws: `SQLiteError`.
    static func restoreTables(_ connection: Connection, _ schema: StorageSchema) throws {
        let lost = PayloadTables.all.filter { schema.moduleDefinitions[$0.name] == nil }
        guard schema.moduleDefinitions["_blob"] != nil, !lost.isEmpty else { return }
        for table in lost {
            try connection.run(table.creation)
            for index in table.indexes { try connection.run(table.creation(of: index)) }
        }
        if lost.contains(where: { $0.name == PayloadKeeping.referenceTable }) {
            let insert = try connection.prepare(
                "INSERT INTO \(PayloadKeeping.referenceTable)(root, blob, kept) SELECT ?1, blob, 0 FROM _blob WHERE hash = ?2")
            var noted: [Int64: Set<[UInt8]>] = [:]
            try PayloadColumns(connection, schema).visit { _, root, text in
                guard noted[root, default: []].insert(text.hash).inserted else { return }
                insert.bind(1, root)
                insert.bind(2, blob: text.hash)
                try insert.run()
            }
        }
        try schema.refresh(connection)
    }

    /// Notes in a recovered file that its resources refer to payloads whose tables are lost, so that a reference is never taken for a payload.
    ///
    /// - Throws: `SQLiteError`.
    static func noteLostTables(_ connection: Connection, _ schema: StorageSchema) throws {
        guard schema.moduleDefinitions["_blob"] == nil || schema.moduleDefinitions[PayloadKeeping.referenceTable] == nil,
            try PayloadColumns(connection, schema).hasReferences()
        else { return }
        try connection.run("INSERT OR REPLACE INTO _meta(key, value) VALUES ('\(PayloadKeeping.incompleteKey)', 1)")
    }

    // MARK: - The database

    /// The name of a file; NULL for a value that is no text, as payloads are not read by it.
    private static let nameSQL = "CASE typeof(name) WHEN 'text' THEN name END"

    private func blob(_ hash: [UInt8]) throws -> (number: Int64, bytes: Int64)? {
        guard hasBlobs else { return nil }
        let statement = try connection.cached("SELECT blob, bytes FROM _blob WHERE hash = ?")
        defer { statement.reset() }
        statement.bind(1, blob: hash)
        return try statement.step() ? (statement.int(0), statement.int(1)) : nil
    }

    /// Notes what is wrong with a payload, or which file it is in.
    private func examine(_ blob: (number: Int64, bytes: Int64), _ item: inout Item) throws {
        let bytes = item.text.byteCount
        guard blob.bytes == Int64(bytes) else {
            item.fault = ("_blob", "has another size")
            return
        }
        let (whole, rest) = bytes.quotientAndRemainder(dividingBy: PayloadLayout.pieceBytes)
        let pieces = whole + (rest > 0 ? 1 : 0)
        let stored = bytes &+ (item.text.isSealed ? pieces &* PayloadLayout.sealBytes : 0)
        if schema.moduleDefinitions["_blobfile"] != nil {
            let statement = try connection.cached("SELECT \(Self.nameSQL) FROM _blobfile WHERE blob = ?")
            defer { statement.reset() }
            statement.bind(1, blob.number)
            if try statement.step() {
                item.file = (statement.text(0) ?? "", stored)
                return
            }
        }
        guard schema.moduleDefinitions["_blob_chunk"] != nil else {
            item.fault = ("_blob_chunk", "is missing")
            return
        }
        let statement = try connection.cached("SELECT count(*), sum(length(content)) FROM _blob_chunk WHERE chunk BETWEEN ? AND ?")
        defer { statement.reset() }
        statement.bind(1, blob.number << PayloadLayout.placeBits)
        statement.bind(2, blob.number << PayloadLayout.placeBits | Int64(max(pieces, 1) - 1))
        _ = try statement.step()
        if statement.int(0) != Int64(pieces) || statement.int(1) != Int64(stored) { item.fault = ("_blob_chunk", "lacks a part") }
    }

    /// Compares the references with the rows that note them.
    private func compare(_ referring: [Int64: Set<Int64>]) throws -> [(root: Int64, text: String)] {
        // A program without the keeper has written: the rows are made again by whoever needs them.
        if try PayloadKeeping.isIncomplete(connection) { return [] }
        // What refers to a payload that is missing is reported already.
        var noted: [Int64: Set<Int64>] = [:]
        let statement = try connection.prepare(
            "SELECT r.root, r.blob FROM _blob_reference r JOIN _blob b ON b.blob = r.blob WHERE r.kept = 0")
        while try statement.step() { noted[statement.int(0), default: []].insert(statement.int(1)) }
        let unnoted = referring.filter { !$1.isSubset(of: noted[$0] ?? []) }.keys.sorted()
        let unused = noted.filter { !$1.isSubset(of: referring[$0] ?? []) }.keys.sorted()
        return unnoted.map { ($0, "refers to a payload, and \(PayloadKeeping.referenceTable) does not say so") }
            + unused.map { ($0, "is noted in \(PayloadKeeping.referenceTable) with a payload that it does not refer to") }
    }

    // MARK: - The result

    /// The names of the files with payloads.
    var fileNames: Set<String> { Set(items.compactMap { $0.file?.name }) }

    /// What is missing, with the files in a folder.
    ///
    /// - Parameter folder: the folder with payloads in files; nil if there can be none.
    func missing(_ folder: PayloadFolder?) -> [StoreFinding] {
        var sizes: [String: Int?] = [:]
        return items.compactMap { item in
            var fault = item.fault
            if let file = item.file {
                let size = sizes[file.name] ?? folder?.size(of: file.name)
                sizes[file.name] = .some(size)
                if size != file.bytes {
                    fault = ("_blobfile", size == nil ? "is in a file that is missing" : "is in a file of another size")
                }
            }
            guard let fault else { return nil }
            return StoreFinding(
                .payload, table: fault.table, typeName: item.typeName, number: item.root,
                "the payload \(item.text.digits.prefix(12))… of the \(item.typeName) with number \(item.root) \(fault.text)")
        }
    }

    /// Everything that is wrong.
    ///
    /// - Parameters:
    ///   - folder: the folder with payloads in files; nil if there can be none.
    ///   - canCollect: whether all resources are as they were stored, so that what they refer to is certain.
    /// - Throws: `SQLiteError`.
    func findings(_ folder: PayloadFolder?, canCollect: Bool) throws -> [StoreFinding] {
        let advice =
            canCollect
            ? "collect the payloads to mend it"
            : "resources are damaged, so what they refer to is not certain: recover the store into a new file, or restore a backup"
        let disagreements = disagreements.map {
            StoreFinding(
                .payload, table: PayloadKeeping.referenceTable, number: $0.root,
                "the resource with number \($0.root) \($0.text): \(advice)")
        }
        let lacking = try missing(folder) + unusable(folder)
        guard !lacking.isEmpty, let folder, let kept = try unnamed(folder) else { return lacking + disagreements }
        return lacking + [kept] + disagreements
    }

    /// The rows that no payload can have, and those without a file that no resource refers to.
    private func unusable(_ folder: PayloadFolder?) throws -> [StoreFinding] {
        guard hasBlobs else { return [] }
        var findings: [StoreFinding] = []
        let damaged = try connection.prepare(
            """
            SELECT blob FROM _blob WHERE hash IS NOT NULL AND (typeof(hash) <> 'blob' OR length(hash) <> 32)
            OR typeof(bytes) <> 'integer' OR bytes < 0
            """)
        while try damaged.step() {
            let text = "the row \(damaged.int(0)) of _blob is damaged: its hash or its size is not valid"
            findings.append(StoreFinding(.payload, table: "_blob", text))
        }
        guard schema.moduleDefinitions["_blobfile"] != nil else { return findings }
        let referred = fileNames
        let files = try connection.prepare("SELECT blob, \(Self.nameSQL) FROM _blobfile")
        while try files.step() {
            let name = files.text(1) ?? ""
            guard !referred.contains(name), folder?.size(of: name) == nil else { continue }
            let text = "the payload with number \(files.int(0)), to which no resource refers, is in a file that is missing"
            findings.append(StoreFinding(.payload, table: "_blobfile", text))
        }
        return findings
    }

    /// The files that no row names, and that stay while rows are damaged; nil if there are none, or if the folder cannot be read.
    private func unnamed(_ folder: PayloadFolder) throws -> StoreFinding? {
        var names: Set<String>
        do {
            names = try Set(folder.names().filter(PayloadFolder.isName))
        } catch is FHIRStoreError {
            return nil
        }
        if schema.moduleDefinitions["_blobfile"] != nil {
            let statement = try connection.prepare("SELECT \(Self.nameSQL) FROM _blobfile")
            while try statement.step() { names.remove(statement.text(0) ?? "") }
        }
        guard !names.isEmpty else { return nil }
        return StoreFinding(
            .payload, table: "_blobfile",
            "\(String(counting: names.count, "file", "files")) in \(folder.path) that no row names may be a payload's that is missing, so none is deleted: "
                + "`firelite blobs collect` gives payloads the files whose content matches")
    }
}

/// The columns that can have references to payloads: the contents of Attachments and Binaries.
struct PayloadColumns {
    private let connection: Connection
    private let schema: StorageSchema

    init(_ connection: Connection, _ schema: StorageSchema) {
        self.connection = connection
        self.schema = schema
    }

    /// Calls `body` with each reference in the rows of resources: the table, the number of the resource, and the text.
    ///
    /// - Complexity: reads the tables that have Attachments.
    func visit(_ body: (TablePlan, Int64, PayloadText) throws -> Void) throws {
        for table in schema.storedTables {
            for column in table.columns.prefix(table.fileColumns) where Self.hasPayloads(column, table) {
                let name = column.quotedName
                let statement = try connection.prepare(
                    "SELECT \(RowKey.root(ofSQL: "_k")), \(name) FROM \(table.quotedName) WHERE \(name) >= ? AND \(name) < ?")
                statement.bind(1, PayloadText.lowest)
                statement.bind(2, PayloadText.highest)
                while try statement.step() {
                    guard let text = statement.text(1).flatMap({ PayloadText($0) }) else { continue }
                    try body(table, statement.int(0), text)
                }
            }
        }
    }

    /// Whether any resource refers to a payload.
    func hasReferences() throws -> Bool {
        struct Found: Error {}
        do {
            try visit { _, _, _ in throw Found() }
            return false
        } catch is Found {
            return true
        }
    }

    private static func hasPayloads(_ column: ColumnPlan, _ table: TablePlan) -> Bool {
        guard column.role == .main, column.slot >= 0 else { return false }
        let layout = table.groups[column.group].layout
        let name = layout.elements[column.slot].name
        return layout.name == "Attachment" && name == "data" || layout.name == "Binary" && (name == "data" || name == "content")
    }
}

extension ReadTransaction {
    /// Calls `body` with each reference to a payload in the rows of resources: the number of the resource, and the text.
    ///
    /// - Throws: errors of `body`; `FHIRStoreError`.
    package func forEachPayloadReference(_ body: (Int64, PayloadText) throws -> Void) throws {
        try perform { try PayloadColumns(access.connection, access.schema).visit { try body($1, $2) } }
    }
}

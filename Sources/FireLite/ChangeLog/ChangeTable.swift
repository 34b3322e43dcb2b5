import FireLiteCore
import FireLiteSQLiteBridge

/// The table `_change`: a row for each tracked change, with the content that it replaced. `_change_reader` has the places of its readers.
///
/// The log of changes and the history of resources are two views of these rows. All SQL on both tables is in this folder.
struct ChangeTable {
    static let tables = ["_change", "_change_reader"]

    /// One row.
    struct Row {
        let sequence: Int64
        let root: Int64
        let kind: ResourceChange.Kind
        let time: Int64
        let origin: WriteOrigin
        /// The type, and the id and stored pk before the change; nil for an added resource, which `_resource` has.
        var typeName: String?
        var id: String?
        /// The revision that was replaced, its digest and its content as JSON; nil for an added resource. A row without content keeps the number
        /// of a pruned version: see `keepNumber`.
        var revision: Int64?
        var digest: ContentDigest.Value?
        var content: String?
        var pk: String?

        /// Whether only the number of the version is kept.
        var isNumber: Bool { kind == .deleted && content == nil && id?.first == ChangeTable.numberMark }
    }

    let connection: Connection

    private static let creation: StaticString = """
        CREATE TABLE _change(seq INTEGER PRIMARY KEY, root INTEGER, kind INTEGER, time INTEGER, origin INTEGER, type TEXT, id TEXT,
          revision INTEGER, digest BLOB, content TEXT, pk TEXT);
        CREATE INDEX _change__id ON _change(type, id) WHERE type IS NOT NULL;
        CREATE TABLE _change_reader(name TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;
        """

    /// Creates the tables if the file has none yet, and the index that the history needs.
    func create(forHistory: Bool) throws {
        if try !exists {
            try connection.execute(Self.creation)
            try connection.run("PRAGMA user_version = \(StoreOpener.trackingFormat)")
        }
        if forHistory { try connection.run("CREATE INDEX IF NOT EXISTS _change__root ON _change(root)") }
    }

    var exists: Bool {
        get throws { try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_change' AND type = 'table'") == 1 }
    }

    // MARK: - Writing

    private static let group = 16
    private static func additions(_ rows: Int) -> String {
        "INSERT OR FAIL INTO _change(seq, root, kind, time, origin) VALUES "
            + Array(repeating: "(?, ?, 0, ?, ?)", count: rows).joined(separator: ", ")
    }
    private static let additionOfOne = additions(1)
    private static let additionOfGroup = additions(group)

    /// Adds a row for each added resource, numbered from `sequence`.
    ///
    /// With `OR FAIL`, SQLite keeps no journal of the statement, which would cost more than the rows.
    func insertAdditions(_ roots: [Int64], from sequence: Int64, time: Int64, origin: WriteOrigin) throws {
        var next = 0
        while next < roots.count {
            let count = roots.count - next < Self.group ? 1 : Self.group
            let statement = try connection.cached(count == 1 ? Self.additionOfOne : Self.additionOfGroup)
            for index in 0..<count {
                statement.bind(index * 4 + 1, sequence + Int64(next + index))
                statement.bind(index * 4 + 2, roots[next + index])
                statement.bind(index * 4 + 3, time)
                if origin == .local { statement.bindNull(index * 4 + 4) } else { statement.bind(index * 4 + 4, origin.rawValue) }
            }
            try statement.run()
            next += count
        }
    }

    /// - Parameter resource: the content, if the row has none yet.
    func insert(_ row: Row, content resource: FHIRResource? = nil) throws {
        let statement = try connection.cached(
            "INSERT OR FAIL INTO _change(seq, root, kind, time, origin, type, id, revision, digest, content, pk) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        statement.bind(1, row.sequence)
        statement.bind(2, row.root)
        statement.bind(3, row.kind.number)
        statement.bind(4, row.time)
        if row.origin == .local { statement.bindNull(5) } else { statement.bind(5, row.origin.rawValue) }
        for (parameter, text) in [(6, row.typeName), (7, row.id), (10, row.content), (11, row.pk)] {
            if let text { statement.bind(parameter, text) } else { statement.bindNull(parameter) }
        }
        if let revision = row.revision { statement.bind(8, revision) } else { statement.bindNull(8) }
        if let digest = row.digest { statement.bind(9, bytes: digest) } else { statement.bindNull(9) }
        guard let resource else { return try statement.run() }
        // The text lives no longer than this call.
        defer { statement.bindNull(10) }
        try FHIRJSON.withUTF8(of: resource) { text in
            try text.withMemoryRebound(to: CChar.self) { text in
                if let start = text.baseAddress { statement.bind(10, unownedText: start, text.count) }
                try statement.run()
            }
        }
    }

    /// Removes the rows of a resource that one write added and deleted.
    func removeAddition(root: Int64, since sequence: Int64) throws {
        let statement = try connection.cached("DELETE FROM _change WHERE seq >= ? AND root = ?")
        statement.bind(1, sequence)
        statement.bind(2, root)
        try statement.run()
    }

    // MARK: - Reading

    static let columns = "seq, root, kind, time, origin, type, id, revision, digest, content, pk"

    static func row(_ statement: Statement) -> Row {
        let hasContent = statement.type(8) == .blob
        return Row(
            sequence: statement.int(0), root: statement.int(1), kind: ResourceChange.Kind(number: statement.int(2)), time: statement.int(3),
            origin: WriteOrigin(rawValue: statement.int(4)) ?? .local, typeName: statement.text(5), id: statement.text(6),
            revision: statement.type(7) == .integer ? statement.int(7) : nil, digest: hasContent ? statement.bytes16(8) : nil,
            content: hasContent ? statement.text(9) : nil, pk: statement.text(10))
    }

    /// The rows that a condition selects, with its parameters as integers or texts, in the order of their numbers.
    func rows(_ condition: String, _ arguments: [SQLValue], limit: Int? = nil, isDescending: Bool = false) throws -> [Row] {
        let statement = try connection.cached(
            "SELECT \(Self.columns) FROM _change WHERE \(condition) ORDER BY seq\(isDescending ? " DESC" : "")"
                + (limit.map { " LIMIT \($0)" } ?? ""))
        defer { statement.reset() }
        statement.bind(arguments)
        var keys = RisingKeys("_change", after: .min)
        var rows: [Row] = []
        while try statement.step() {
            let row = Self.row(statement)
            if !isDescending { try keys.advance(to: row.sequence) }
            rows.append(row)
        }
        return rows
    }

    /// Deletes rows and returns their number.
    @discardableResult
    func delete(_ condition: String, _ arguments: [SQLValue]) throws -> Int {
        let statement = try connection.cached("DELETE FROM _change WHERE \(condition)")
        statement.bind(arguments)
        let before = connection.totalChanges
        try statement.run()
        return Int(connection.totalChanges - before)
    }

    /// The number of rows with these numbers.
    func count(in numbers: Range<Int64>) throws -> Int64 {
        // The rows have contents, so many of them are counted by the index.
        let isLong = try numbers.count > 10_000 && connection.integer("SELECT 1 FROM sqlite_master WHERE name = '_change__root'") == 1
        let index = isLong ? "INDEXED BY _change__root " : ""
        let statement = try connection.cached("SELECT count(*) FROM _change \(index)WHERE seq >= ? AND seq < ?")
        defer { statement.reset() }
        statement.bind(1, numbers.lowerBound)
        statement.bind(2, numbers.upperBound)
        return try statement.step() ? statement.int(0) : 0
    }

    /// The numbers that no row has.
    func missing(in numbers: Range<Int64>) throws -> [ClosedRange<Int64>] {
        let statement = try connection.cached("SELECT seq FROM _change WHERE seq >= ? AND seq < ? ORDER BY seq")
        defer { statement.reset() }
        statement.bind(1, numbers.lowerBound)
        statement.bind(2, numbers.upperBound)
        var keys = RisingKeys("_change", after: numbers.lowerBound - 1)
        var missing: [ClosedRange<Int64>] = []
        var next = numbers.lowerBound
        while try statement.step() {
            let number = statement.int(0)
            try keys.advance(to: number)
            if number > next { missing.append(next...number - 1) }
            next = number + 1
        }
        if next < numbers.upperBound { missing.append(next...numbers.upperBound - 1) }
        return missing
    }

    // MARK: - Numbers of versions

    /// Whether a change or deletion was ever recorded, so that a resource may have had versions before.
    var hasReplaced: Bool {
        get throws { try connection.integer("SELECT 1 FROM _change WHERE type IS NOT NULL LIMIT 1") == 1 }
    }

    /// The number of the last kept version of resources that had this type and id; 0 if there is none.
    func lastRevision(_ type: String, id: String, digestKey: UInt64) throws -> Int64 {
        let statement = try connection.cached("SELECT max(revision) FROM _change WHERE type = ? AND id IN (?, ?)")
        defer { statement.reset() }
        statement.bind(1, type)
        statement.bind(2, id)
        statement.bind(3, Self.numberMark.description + Self.hidden(id, digestKey))
        return try statement.step() ? statement.int(0) : 0
    }

    /// FHIR allows no such character in ids.
    fileprivate static let numberMark: Character = "#"

    /// A keyed hash, from which nobody without the file's key can tell the id.
    private static func hidden(_ id: String, _ key: UInt64) -> String {
        let (first, second) = ContentDigest.digest(of: id, key: key)
        return String(first, radix: 16).leftPadded(16) + String(second, radix: 16).leftPadded(16)
    }

    /// Takes everything out of the row of a deletion but the type, the number of the version and a hash of the id, so that a resource that is
    /// stored with the id again does not reuse the number.
    func keepNumber(_ sequence: Int64, _ type: String, id: String, digestKey: UInt64) throws {
        let hidden = Self.numberMark.description + Self.hidden(id, digestKey)
        let older = try connection.cached("DELETE FROM _change WHERE type = ? AND id = ?")
        older.bind(1, type)
        older.bind(2, hidden)
        try older.run()
        let statement = try connection.cached("UPDATE _change SET id = ?, digest = NULL, content = NULL, pk = NULL WHERE seq = ?")
        statement.bind(1, hidden)
        statement.bind(2, sequence)
        try statement.run()
    }

    // MARK: - Readers

    func place(of reader: String) throws -> Int64? {
        let statement = try connection.cached("SELECT seq FROM _change_reader WHERE name = ?")
        defer { statement.reset() }
        statement.bind(1, reader)
        return try statement.step() ? statement.int(0) : nil
    }

    func setPlace(of reader: String, _ sequence: Int64) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _change_reader(name, seq) VALUES (?, ?)")
        statement.bind(1, reader)
        statement.bind(2, sequence)
        try statement.run()
    }

    func removeReader(_ name: String) throws {
        let statement = try connection.cached("DELETE FROM _change_reader WHERE name = ?")
        statement.bind(1, name)
        try statement.run()
    }

    func readers() throws -> [(name: String, sequence: Int64)] {
        let statement = try connection.cached("SELECT name, seq FROM _change_reader ORDER BY name")
        defer { statement.reset() }
        var readers: [(name: String, sequence: Int64)] = []
        while try statement.step() { readers.append((statement.text(0) ?? "", statement.int(1))) }
        return readers
    }
}

extension ResourceChange.Kind {
    var number: Int64 {
        switch self {
        case .added: 0
        case .updated: 1
        case .deleted: 2
        }
    }

    init(number: Int64) { self = number == 0 ? .added : number == 1 ? .updated : .deleted }
}

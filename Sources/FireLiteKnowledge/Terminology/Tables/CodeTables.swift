import FireLiteSQLiteBridge
import Foundation

/// The tables of code systems that are imported from files of their own forms, in a file of packages (see `KnowledgeFile`).
///
/// A code system has the rows of `code_concept` and `code_name` whose numbers are in its ranges. `@unchecked Sendable`: `lock` guards the connection.
final class CodeTables: @unchecked Sendable {
    /// A code system of the file.
    struct System: Sendable, Hashable {
        let key: Int64
        /// The form that it came in: `snomed`, `loinc`, `rxnorm`, `icd10`.
        let kind: String
        let url: String
        let version: String
        let name: String
        /// The numbers of its concepts.
        let concepts: ClosedRange<Int64>
        /// The numbers of its names.
        let names: ClosedRange<Int64>
    }

    let path: String
    private let lock = NSRecursiveLock()
    private let source: Source

    /// A connection that writes, or one that only reads.
    private enum Source {
        case writer(Connection)
        case reader(KnowledgeReader)
    }

    private var connection: Connection {
        switch source {
        case .writer(let connection): connection
        case .reader(let reader): reader.connection
        }
    }

    private let isWriting: Bool
    /// Whether the file was made for this import.
    private let isNew: Bool

    /// Opens the file for questions.
    ///
    /// - Parameter busyTimeout: how long a question waits for a writer, in milliseconds.
    /// - Throws: `KnowledgeError` with code `file` if it cannot be opened, or has no such tables.
    init(reading path: String, busyTimeout: Int = FileWait.reading) throws {
        self.path = path
        (isWriting, isNew) = (false, false)
        guard FileManager.default.fileExists(atPath: path) else {
            throw KnowledgeError(.file, "\(path): there is no such file: make it with `firelite codes --knowledge \(path) add RELEASE`")
        }
        do {
            let reader = try KnowledgeReader(path: path, busyTimeout: busyTimeout) { try $0.run("PRAGMA cache_size = -65536") }
            source = .reader(reader)
            let connection = reader.connection
            guard try connection.integer("PRAGMA application_id") == KnowledgeFile.applicationID else {
                throw KnowledgeError(.file, "\(path) is not a file of packages: give another path")
            }
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error)
        }
    }

    /// Opens the file for an import, or makes it.
    ///
    /// - Parameter busyTimeout: how long the import waits for another one, and for readers, in milliseconds.
    /// - Throws: `KnowledgeError` with code `file`.
    init(writing path: String, busyTimeout: Int = FileWait.writing) throws {
        self.path = path
        isWriting = true
        isNew = !FileManager.default.fileExists(atPath: path)
        _ = try KnowledgeFile(path: path, isReadOnly: false, busyTimeout: busyTimeout)
        do {
            // `KnowledgeFile` has made it.
            let connection = try Connection(path: path, createsFile: false)
            source = .writer(connection)
            connection.setBusyTimeout(milliseconds: busyTimeout)
            guard try connection.hasModule("fts5") else {
                throw KnowledgeError(.file, "the system's SQLite has no full-text search (FTS5), which names of codes need")
            }
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error, isWriting: true)
        }
    }

    /// Runs questions that use the connection.
    ///
    /// - Throws: errors of `body`; SQLite's as `KnowledgeError`.
    func with<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        lock.lock()
        defer { lock.unlock() }
        do { return try body(connection) } catch let error as SQLiteError {
            throw ReadingFailures.noted(FileWait.failure(path, error, isWriting: isWriting))
        } catch let error as KnowledgeError where error.code == .file {
            // The file had to be opened again, and could not be.
            throw ReadingFailures.noted(error)
        }
    }

    // MARK: - Reading

    /// The operations that read now. While there are some, a transaction keeps the file's lock, which costs more than a question.
    private var readers = 0
    private let clock = ContinuousClock()
    private var began = ContinuousClock().now
    /// The number of changes by others; it differs after an import.
    private(set) var generation: Int64 = 0
    /// After this time a transaction ends even if operations follow each other, so that an import can write.
    private static let longestRead = Duration.seconds(2)
    /// A transaction stays open for this time after an operation, as the next one often follows at once: to take the file's lock and to give it back
    /// costs as much as three questions. Nobody can change the file meanwhile, and an import waits for longer.
    private static let timeBetweenReads = DispatchTimeInterval.milliseconds(20)
    private static let idleQueue = DispatchQueue(label: "FireLite.CodeTables.idle")
    /// Whether the end of the transaction is ordered already.
    private var endsSoon = false

    /// Begins an operation of several questions, which ``leave()`` ends.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    func enter() throws {
        try with { connection in
            if clock.now - began > Self.longestRead { try end(connection) }
            try begin()
            readers += 1
        }
    }

    /// Ends an operation that ``enter()`` began.
    func leave() {
        lock.lock()
        defer { lock.unlock() }
        readers -= 1
        guard readers == 0, !endsSoon else { return }
        endsSoon = true
        Self.idleQueue.asyncAfter(deadline: .now() + Self.timeBetweenReads) { [weak self] in self?.endIfIdle() }
    }

    /// Ends the transaction, unless an operation reads, whose end comes here again.
    private func endIfIdle() {
        lock.lock()
        defer { lock.unlock() }
        endsSoon = false
        // A transaction that cannot end stays open until a later operation ends it.
        if readers == 0 { try? end(connection) }
    }

    /// Runs a question, in the transaction of an operation if there is one.
    ///
    /// - Throws: errors of `body`; SQLite's as `KnowledgeError`.
    func reading<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try with { connection in
            let isOutermost = !connection.isInTransaction
            if isOutermost { try begin() }
            // Beginning may open the file again.
            let connection = self.connection
            defer { if isOutermost { try? end(connection) } }
            return try body(connection)
        }
    }

    private func begin() throws {
        guard !connection.isInTransaction else { return }
        switch source {
        case .writer(let connection): try begin(connection)
        case .reader(let reader):
            try reader.reading { try begin($0) }
            // Connections count the changes by others each from its own beginning.
            generation += Int64(reader.openings) << 32
        }
    }

    private func begin(_ connection: Connection) throws {
        let statement = try connection.cached("BEGIN")
        try statement.run()
        do {
            // This takes the file's lock, and waits while another program writes.
            generation = try connection.integer("PRAGMA data_version") ?? 0
        } catch {
            try? end(connection)
            throw error
        }
        began = clock.now
    }

    private func end(_ connection: Connection) throws {
        guard connection.isInTransaction else { return }
        try connection.cached("COMMIT").run()
    }

    /// Runs what no other thread may be in the midst of, such as releasing a statement.
    func locked<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    // MARK: - Writing

    /// Runs changes as a whole or not at all.
    func transaction<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try with { connection in
            try connection.run("BEGIN IMMEDIATE")
            do {
                guard FileManager.default.fileExists(atPath: path) else {
                    throw KnowledgeError(.file, "\(path) was removed while the import waited for another one: import again")
                }
                try connection.execute(Self.schema)
                try Self.complete(connection)
                let value = try body(connection)
                try connection.run("COMMIT")
                return value
            } catch {
                if connection.isInTransaction { try? connection.run("ROLLBACK") }
                throw error
            }
        }
    }

    /// Adds the columns that tables of an earlier version lack. They are null in its rows.
    private static func complete(_ connection: Connection) throws {
        guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'code_name' AND instr(sql, 'module') > 0") == 0 else {
            return
        }
        for column in ["module", "date"] { try connection.run("ALTER TABLE code_name ADD COLUMN \(column) INTEGER") }
    }

    /// Removes the file if it was made for this import and has nothing in it: an import that fails leaves what was there before.
    func discardIfNew() {
        guard isNew else { return }
        lock.lock()
        defer { lock.unlock() }
        // If another program writes to the file, it is no longer this import's to remove.
        guard (try? connection.run("BEGIN EXCLUSIVE")) != nil else { return }
        let packages = try? connection.integer("SELECT count(*) FROM package")
        let systems = try? connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'code_system'")
        if packages == 0, systems == 0 { try? FileManager.default.removeItem(atPath: connection.path) }
        try? connection.run("ROLLBACK")
    }

    /// The code systems of the file.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    func systems() throws -> [System] {
        try reading { connection in
            guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'code_system'") == 1 else { return [] }
            let statement = try connection.prepare(
                """
                SELECT _k, kind, url, version, name, first, min(last, (SELECT max(_k) FROM code_concept)),
                    first_name, min(last_name, (SELECT max(_k) FROM code_name))
                FROM code_system ORDER BY url, version
                """)
            var list: [System] = []
            while try statement.step() {
                let row = statement.row
                list.append(
                    System(
                        key: row.int(0), kind: row.text(1) ?? "", url: row.text(2) ?? "", version: row.text(3) ?? "",
                        name: row.text(4) ?? "", concepts: Self.range(row.int(5), row.int(6)), names: Self.range(row.int(7), row.int(8))))
            }
            return list
        }
    }

    /// A range that can be counted, whatever the file says.
    private static func range(_ first: Int64, _ last: Int64) -> ClosedRange<Int64> { max(1, first)...max(1, first, last) }

    private static let schema: StaticString = """
        CREATE TABLE IF NOT EXISTS code_system(
            _k INTEGER PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, version TEXT NOT NULL, name TEXT NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, first_name INTEGER NOT NULL, last_name INTEGER NOT NULL, UNIQUE(url, version));
        CREATE TABLE IF NOT EXISTS code_concept(
            _k INTEGER PRIMARY KEY, code TEXT NOT NULL, display TEXT, flags INTEGER NOT NULL, module TEXT, date TEXT);
        CREATE INDEX IF NOT EXISTS code_concept_code ON code_concept(code);
        CREATE TABLE IF NOT EXISTS code_name(
            _k INTEGER PRIMARY KEY, concept INTEGER NOT NULL, kind TEXT NOT NULL, language TEXT, code TEXT, flags INTEGER NOT NULL,
            term TEXT NOT NULL, module INTEGER, date INTEGER);
        CREATE INDEX IF NOT EXISTS code_name_concept ON code_name(concept);
        CREATE TABLE IF NOT EXISTS code_dialect(
            name INTEGER NOT NULL, refset INTEGER NOT NULL, is_preferred INTEGER NOT NULL, PRIMARY KEY(name, refset)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS code_parent(child INTEGER NOT NULL, parent INTEGER NOT NULL, PRIMARY KEY(child, parent)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS code_child(parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY(parent, child)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS code_above(code INTEGER NOT NULL, above INTEGER NOT NULL, PRIMARY KEY(code, above)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS code_below(code INTEGER NOT NULL, below INTEGER NOT NULL, PRIMARY KEY(code, below)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS code_relation(
            source INTEGER NOT NULL, grp INTEGER NOT NULL, type INTEGER NOT NULL, target INTEGER NOT NULL,
            PRIMARY KEY(source, grp, type, target)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS code_relation_type ON code_relation(type, target, source);
        CREATE TABLE IF NOT EXISTS code_value(
            concept INTEGER NOT NULL, grp INTEGER NOT NULL, property TEXT NOT NULL, value NOT NULL,
            PRIMARY KEY(concept, property, grp, value)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS code_value_property ON code_value(property, value, concept);
        CREATE TABLE IF NOT EXISTS code_member(
            refset INTEGER NOT NULL, concept INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY(refset, concept, target)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS code_member_concept ON code_member(concept, refset);
        CREATE TABLE IF NOT EXISTS code_member_row(
            _k INTEGER PRIMARY KEY, refset INTEGER NOT NULL, concept INTEGER NOT NULL, flags INTEGER NOT NULL, module INTEGER NOT NULL,
            date INTEGER NOT NULL, fields TEXT);
        CREATE INDEX IF NOT EXISTS code_member_row_refset ON code_member_row(refset);
        CREATE VIRTUAL TABLE IF NOT EXISTS code_word USING fts5(
            term, content='code_name', content_rowid='_k', detail=none, prefix='2 3', tokenize='unicode61 remove_diacritics 2');
        """
}

/// What a row of `code_concept` or `code_name` says in one number.
struct CodeFlags: OptionSet, Sendable {
    let rawValue: Int64
    static let active = CodeFlags(rawValue: 1)
    /// Not to be chosen: a group of codes.
    static let abstract = CodeFlags(rawValue: 2)
    /// Sufficiently defined.
    static let defined = CodeFlags(rawValue: 4)
}

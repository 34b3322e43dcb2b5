import FireLite
import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// A SQLite file of packages that several programs and stores share: `firelite package add` fills it, `Knowledge.addKnowledge(at:)` reads it.
///
/// It has the tables `package` (name, version, manifest) and `definition` (package, type, url, version, id, subject, date, text). The text of a
/// definition is read when a validator first needs it.
public final class KnowledgeFile {
    private let source: Source
    private let path: String

    /// A connection that writes, or one that only reads.
    private enum Source {
        case writer(Connection)
        case reader(KnowledgeReader)
    }

    private let isReadOnly: Bool
    /// The format of the file; one with a higher number is refused.
    static let format: Int64 = 1
    /// `FLKN`, in the header of the file.
    static let applicationID: Int64 = 0x464C_4B4E

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - isReadOnly: whether the file must exist and is never changed. Default: false.
    /// - Throws: `KnowledgeError` with code `file` if it cannot be opened or is another kind of file, or if another program has locked it for long.
    public convenience init(path: String, isReadOnly: Bool = false) throws {
        try self.init(path: path, isReadOnly: isReadOnly, busyTimeout: isReadOnly ? FileWait.reading : FileWait.writing)
    }

    init(path: String, isReadOnly: Bool, busyTimeout: Int) throws {
        self.path = path
        self.isReadOnly = isReadOnly
        if isReadOnly, !FileManager.default.fileExists(atPath: path) {
            throw KnowledgeError(.file, "\(path): there is no such file: make it with `firelite package add --knowledge \(path)`")
        }
        do {
            let connection: Connection
            if isReadOnly {
                let reader = try KnowledgeReader(path: path, busyTimeout: busyTimeout)
                source = .reader(reader)
                connection = reader.connection
            } else {
                try PrivateFile.createDatabase(path)
                connection = try Connection(path: path, createsFile: false)
                source = .writer(connection)
                connection.setBusyTimeout(milliseconds: busyTimeout)
                if try connection.integer("SELECT count(*) FROM sqlite_master") == 0 { try Self.create(connection) }
            }
            guard try connection.integer("PRAGMA application_id") == Self.applicationID else {
                throw KnowledgeError(.file, "\(path) is not a file of packages: give another path")
            }
            guard let version = try connection.integer("PRAGMA user_version"), version <= Self.format else {
                throw KnowledgeError(.file, "\(path) has a later format than this version reads: use a later version")
            }
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error, isWriting: !isReadOnly)
        } catch let error as FHIRStoreError {
            throw KnowledgeError(.file, error.message)
        }
    }

    private static func create(_ connection: Connection) throws {
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            PRAGMA application_id = 1179405134;
            PRAGMA user_version = 1;
            CREATE TABLE IF NOT EXISTS package(_k INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, manifest TEXT NOT NULL, UNIQUE(name, version));
            CREATE TABLE IF NOT EXISTS definition(
                _k INTEGER PRIMARY KEY, package INTEGER NOT NULL REFERENCES package(_k) ON DELETE CASCADE, type TEXT NOT NULL, url TEXT,
                version TEXT, id TEXT, subject TEXT, date TEXT, text TEXT NOT NULL);
            CREATE INDEX IF NOT EXISTS definition_package ON definition(package);
            COMMIT;
            """)
    }

    private func reading<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        do {
            switch source {
            case .writer(let connection): return try body(connection)
            case .reader(let reader): return try reader.reading(body)
            }
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error, isWriting: !isReadOnly)
        }
    }

    private func transaction(_ body: (Connection) throws -> Void) throws {
        guard case .writer(let connection) = source else {
            throw KnowledgeError(.file, "\(path) was opened for reading: open it without isReadOnly to change it")
        }
        do {
            try connection.run("BEGIN IMMEDIATE")
            do {
                try body(connection)
                try connection.run("COMMIT")
            } catch {
                try? connection.run("ROLLBACK")
                throw error
            }
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error, isWriting: true)
        }
    }

    // MARK: - Packages

    /// The packages in the file, by name and version.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    public func packages() throws -> [PackageManifest] {
        try reading { connection in
            let statement = try connection.prepare("SELECT manifest FROM package ORDER BY name, version")
            var list: [PackageManifest] = []
            while try statement.step() {
                if let text = statement.row.text(0) { list.append(try PackageManifest(stored: Data(text.utf8), source: path)) }
            }
            return list
        }
    }

    /// Adds a package, which replaces the same version of the package if the file has it.
    ///
    /// - Parameter package: an archive (`.tgz`) or a folder with an unpacked one.
    /// - Returns: the manifest of the package, the number of its definitions, and its files that were left out.
    /// - Throws: `KnowledgeError`; `TransferError` if the system has no zlib.
    @discardableResult
    public func addPackage(at package: URL) throws -> (manifest: PackageManifest, definitions: Int, skipped: [SkippedFile]) {
        try addPackage(at: package.filePath)
    }

    /// The same with a path, as the command line has it.
    @discardableResult
    package func addPackage(at source: String) throws -> (manifest: PackageManifest, definitions: Int, skipped: [SkippedFile]) {
        let loaded = try PackageReader.read(source)
        try add(loaded)
        return (loaded.manifest, loaded.definitions.count, loaded.skipped)
    }

    /// Adds a package that was read, in place of the same version of it.
    package func add(_ loaded: LoadedPackage) throws {
        try transaction { connection in
            try Self.delete(name: loaded.manifest.name, version: loaded.manifest.version, connection)
            let package = try connection.prepare("INSERT INTO package(name, version, manifest) VALUES (?, ?, ?)")
            package.bind(1, loaded.manifest.name)
            package.bind(2, loaded.manifest.version)
            package.bind(3, loaded.manifest.json)
            try package.run()
            let key = try connection.integer("SELECT last_insert_rowid()") ?? 0
            let insert = try connection.prepare(
                "INSERT INTO definition(package, type, url, version, id, subject, date, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            for definition in loaded.definitions {
                insert.bind(1, key)
                let texts = [
                    definition.type, definition.url, definition.version, definition.id, definition.subject, definition.date,
                    String(decoding: try definition.text, as: UTF8.self),
                ]
                for (index, text) in texts.enumerated() {
                    if let text { insert.bind(index + 2, text) } else { insert.bindNull(index + 2) }
                }
                try insert.run()
            }
        }
    }

    /// Removes a package.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - version: its version; nil for all versions.
    /// - Returns: the number of packages that were removed.
    /// - Throws: `KnowledgeError` with code `file`.
    @discardableResult
    public func removePackage(named name: String, version: String? = nil) throws -> Int {
        let found = try packages().filter { $0.name == name && (version == nil || $0.version == version) }
        try transaction { connection in for manifest in found { try Self.delete(name: name, version: manifest.version, connection) } }
        return found.count
    }

    private static func delete(name: String, version: String, _ connection: Connection) throws {
        for sql in [
            "DELETE FROM definition WHERE package IN (SELECT _k FROM package WHERE name = ?1 AND version = ?2)",
            "DELETE FROM package WHERE name = ?1 AND version = ?2",
        ] {
            let statement = try connection.prepare(sql)
            statement.bind(1, name)
            statement.bind(2, version)
            try statement.run()
        }
    }

    /// The definitions of all packages; their texts stay in the file.
    func definitions(_ texts: StoredTexts) throws -> [Definition] {
        try reading { connection in
            let statement = try connection.prepare(
                """
                SELECT d.type, d.url, d.version, d.id, d.subject, d.date, d._k, p.name || '#' || p.version
                FROM definition d JOIN package p ON p._k = d.package ORDER BY d._k
                """)
            var list: [Definition] = []
            while try statement.step() {
                let row = statement.row
                guard let type = row.text(0) else { continue }
                list.append(
                    Definition(
                        type: type, url: row.text(1), version: row.text(2), id: row.text(3), subject: row.text(4), date: row.text(5),
                        source: row.text(7) ?? path, in: texts, key: row.int(6)))
            }
            return list
        }
    }
}

/// Reads the texts of definitions when they are needed.
protocol DefinitionTexts: Sendable {
    /// The text with a key.
    ///
    /// - Throws: `KnowledgeError` with code `file` if it is gone, or cannot be read.
    func text(_ key: Int64) throws -> Data
}

/// Reads the texts of definitions from a file of packages.
///
/// `@unchecked Sendable`: `lock` guards the connection.
final class StoredTexts: DefinitionTexts, @unchecked Sendable {
    private let lock = NSLock()
    private let reader: KnowledgeReader
    private let path: String

    /// - Parameter busyTimeout: how long a text waits for a writer, in milliseconds.
    init(path: String, busyTimeout: Int = FileWait.reading) throws {
        self.path = path
        reader = try KnowledgeReader(path: path, busyTimeout: busyTimeout)
    }

    /// The text with a key.
    ///
    /// - Throws: `KnowledgeError` with code `file` if it is gone, or if the file is locked or damaged.
    func text(_ key: Int64) throws -> Data {
        do {
            return try lock.withLock { try reader.reading { try stored(key, $0) } }
        } catch let error as SQLiteError {
            throw ReadingFailures.noted(FileWait.failure(path, error))
        } catch let error as KnowledgeError {
            throw ReadingFailures.noted(error)
        }
    }

    private func stored(_ key: Int64, _ connection: Connection) throws -> Data {
        let statement = try connection.cached("SELECT text FROM definition WHERE _k = ?")
        defer { statement.reset() }
        statement.bind(1, key)
        guard try statement.step() else {
            throw KnowledgeError(.file, "\(path): a package was removed or replaced while it was in use: read the file again")
        }
        return Data(statement.row.textBytes(0))
    }
}

extension PackageManifest {
    /// The manifest as JSON, with what is read of it.
    var json: String {
        JSONItem.object([
            "name": .string(name), "version": .string(version), "canonical": canonical.map { .string($0) },
            "title": title.map { .string($0) },
            "fhirVersions": .array(fhirVersions.map { .string($0) }),
            "dependencies": .object(
                dependencies.sorted { $0.key < $1.key }.map { JSONItem.Member(name: $0.key, value: .string($0.value)) }),
        ]).json
    }
}

extension Knowledge {
    /// Adds the packages of a file that `KnowledgeFile` or `firelite package` made, and the code systems that `CodeSystemFile` or `firelite codes`
    /// imported into it.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    public func addKnowledge(at file: URL) throws { try addKnowledge(at: file.filePath) }

    /// The same with a path, as the command line has it.
    package func addKnowledge(at path: String) throws { try addKnowledge(at: path, busyTimeout: FileWait.reading) }

    /// - Parameter busyTimeout: how long each reading waits for a writer, in milliseconds.
    func addKnowledge(at path: String, busyTimeout: Int) throws {
        let file = try KnowledgeFile(path: path, isReadOnly: true, busyTimeout: busyTimeout)
        for manifest in try file.packages() { note(manifest) }
        let texts = try StoredTexts(path: path, busyTimeout: busyTimeout)
        for definition in try file.definitions(texts) { insert(definition) }
        let tables = try CodeTables(reading: path, busyTimeout: busyTimeout)
        for system in try tables.systems() { note(try TableCodeSystem(tables, system)) }
    }
}

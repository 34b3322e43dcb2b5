import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// A connection that reads a file of packages and never writes to it.
///
/// If an import was killed, the file contains a part of it, and its journal what was there before. Only a program that writes may roll that back, so a reader
/// reads a private copy, in which it is rolled back, until a writer has done so in the file (SQLite, File Locking And Concurrency: hot journals). It belongs
/// to one thread at a time.
final class KnowledgeReader {
    /// The connection; another one after an import was killed, and after that was rolled back.
    private(set) var connection: Connection
    /// The number of connections so far.
    private(set) var openings = 0
    private var former: FormerState?
    private let path: String
    private let busyTimeout: Int
    private let configure: (Connection) throws -> Void

    /// - Parameters:
    ///   - path: the file, which exists.
    ///   - busyTimeout: how long a question waits for a writer, in milliseconds.
    ///   - configure: prepares each connection.
    /// - Throws: `KnowledgeError` with code `file`; errors of `configure`.
    init(path: String, busyTimeout: Int, configure: @escaping (Connection) throws -> Void = { _ in }) throws {
        (self.path, self.busyTimeout, self.configure) = (path, busyTimeout, configure)
        (connection, former) = try Self.open(path, busyTimeout)
        try configure(connection)
    }

    /// Runs a question, which is asked again if the file must be opened again.
    ///
    /// - Throws: errors of `body`; `KnowledgeError` with code `file`.
    func reading<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try update()
        do {
            return try body(connection)
        } catch let error as SQLiteError where Self.needsRollback(error) {
            try reopen()
            return try body(connection)
        }
    }

    /// Returns from a copy to the file as soon as a writer has rolled back the import that was killed.
    private func update() throws {
        if let former, !former.isCurrent, !connection.isInTransaction { try reopen() }
    }

    private func reopen() throws {
        let (fresh, state) = try Self.open(path, busyTimeout)
        try configure(fresh)
        (connection, former) = (fresh, state)
        openings += 1
    }

    // MARK: - Opening

    /// Whether a connection that only reads met a journal that must be rolled back first (`SQLITE_READONLY_ROLLBACK`).
    private static func needsRollback(_ error: SQLiteError) -> Bool { error.primaryCode == ResultCode.readOnly }

    /// How often the file is opened while others begin, end and roll back imports.
    private static let attempts = 10

    private static func open(_ path: String, _ busyTimeout: Int) throws -> (Connection, FormerState?) {
        do {
            for _ in 0..<attempts {
                let connection = try Connection(path: path, isReadOnly: true, createsFile: false)
                connection.setBusyTimeout(milliseconds: busyTimeout)
                do {
                    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
                    return (connection, nil)
                } catch let error as SQLiteError where needsRollback(error) {
                    guard let former = try FormerState.of(connection.path) else { continue }
                    return (try former.connection(), former)
                }
            }
            throw KnowledgeError(.file, "\(path) is changed again and again while it is opened: try again later")
        } catch let error as SQLiteError {
            throw FileWait.failure(path, error)
        }
    }
}

/// A private copy of a file and its journal, in which the import that was killed is rolled back. Readers in this process share it.
private final class FormerState {
    private let folder: String
    private let journal: String
    private let mark: Mark

    /// What tells one journal from another.
    private struct Mark: Hashable {
        let path: String
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        /// - Returns: nil if there is no journal.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.path = path
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            #if canImport(Darwin)
                (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
            #else
                (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            #endif
        }
    }

    private struct Shared {
        weak var state: FormerState?
    }

    private static let lock = NSLock()
    /// Guarded by `lock`.
    private nonisolated(unsafe) static var known: [Mark: Shared] = [:]

    /// The state before the import that a file's journal is of.
    ///
    /// - Returns: nil if the journal is gone meanwhile, or another one.
    /// - Throws: `KnowledgeError` with code `file` if the file cannot be copied.
    static func of(_ path: String) throws -> FormerState? {
        let journal = path + "-journal"
        return try lock.withLock {
            guard let mark = Mark(journal) else { return nil }
            if let state = known[mark]?.state { return state }
            let state = try FormerState(copying: path, journal, mark)
            // Whoever rolls back meanwhile writes what the journal has, which the copy gets from its own: it is whole if the journal is the same before
            // and after.
            guard Mark(journal) == mark else { return nil }
            known = known.filter { $0.value.state != nil }
            known[mark] = Shared(state: state)
            return state
        }
    }

    private init(copying path: String, _ journal: String, _ mark: Mark) throws {
        (self.journal, self.mark) = (journal, mark)
        folder = NSTemporaryDirectory() + "/firelite-\(UUID().uuidString)"
        do {
            try PrivateFile.makeFolder(folder)
            try Self.copy(journal, to: copy + "-journal")
            try Self.copy(path, to: copy)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw KnowledgeError(
                .file,
                "\(path): an import was killed, and its former state cannot be copied to the temporary folder (\(error.localizedDescription)): "
                    + "import again, which rolls back what is there")
        }
    }

    private static let piece = 1 << 20

    /// Copies a file, whose descriptor stays open: closing it would take the locks of all connections of this process to the file (SQLite, How To Corrupt An
    /// SQLite Database File: POSIX advisory locks). There is one for each import that was killed.
    private static func copy(_ path: String, to copy: String) throws {
        let source = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let target = try PrivateFile.create(copy)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 1)
        defer { memory.deallocate() }
        while true {
            let count = read(source, memory.baseAddress, memory.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            if count == 0 { break }
            try target.write(contentsOf: Data(UnsafeRawBufferPointer(rebasing: memory[..<count])))
        }
        try target.close()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var copy: String { folder + "/knowledge.sqlite" }

    /// Whether the journal of the file is still the one that this is the state before.
    var isCurrent: Bool { Mark(journal) == mark }

    /// A connection that reads the copy. The first one rolls back.
    func connection() throws -> Connection {
        let writer = try Connection(path: copy, createsFile: false)
        _ = try writer.integer("SELECT count(*) FROM sqlite_master")
        return try Connection(path: copy, isReadOnly: true, createsFile: false)
    }
}

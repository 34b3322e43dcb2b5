import FireLiteSQLiteBridge
import Foundation

extension Connection {
    /// The first bytes of a plain database file (<https://www.sqlite.org/fileformat2.html#magic_header_string>).
    private static let plainStart = Array("SQLite format 3\0".utf8)

    /// Opens a store's file, with its key if it has one.
    ///
    /// The first read shows whether the key is right: see `explaining`.
    /// - Throws: `FHIRStoreError`: `noEncryption`, `invalidArgument`, `notEncrypted`; `SQLiteError`.
    static func open(
        _ path: String, isReadOnly: Bool = false, isImmutable: Bool = false, createsFile: Bool = true, key: Secret?,
        pageChecksums: PageChecksums = .verified,
        isHardened: Bool = true
    ) throws -> Connection {
        try key?.verify(for: path)
        // An encrypted page has its own authentication code.
        let connection = try Connection(
            path: path, isReadOnly: isReadOnly, isImmutable: isImmutable, createsFile: createsFile,
            pageChecksums: key == nil ? pageChecksums : .ignored,
            isHardened: isHardened)
        guard let key else { return connection }
        if connection.isPlain {
            throw FHIRStoreError(
                .notEncrypted,
                "\(path) is not encrypted", remedy: .openPlain)
        }
        try key.data.withBytes { try connection.unlock($0) }
        return connection
    }

    /// Whether the file begins as a plain database does.
    var isPlain: Bool { startOfFile(Self.plainStart.count) == Self.plainStart }

    /// Runs `body`, which reads the file for the first time, and explains the error if SQLite finds no database in it.
    ///
    /// - Throws: errors of `body`; `FHIRStoreError`: `wrongKey`, `missingKey`.
    func explaining<Value>(_ path: String, key: Secret?, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError where error.isNoDatabase {
            guard looksEncrypted(path) else { throw error }
            if key != nil {
                throw FHIRStoreError(
                    .wrongKey,
                    "\(path) cannot be read with this key: give the key it was created with. If this is the key, the beginning of the file is "
                        + "damaged, or the file was created by another major version of SQLCipher", sqliteCode: error.code)
            }
            let remedy = Self.isBuiltForEncryption ? "give its key" : "give its key, in a build with the trait SQLCipher"
            throw FHIRStoreError(.missingKey, "\(path) is encrypted, or not a database: \(remedy)", sqliteCode: error.code)
        }
    }

    /// Whether the file can be encrypted: it has whole pages and begins like random bytes. Other files do too, so that this only chooses a message.
    ///
    /// 512 random bytes have about 221 different values; less than 180 do not happen by chance, and text has about 100 at most.
    private func looksEncrypted(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0, status.st_size % 512 == 0, let start = startOfFile(512) else { return false }
        return Set(start).count >= 180
    }
}

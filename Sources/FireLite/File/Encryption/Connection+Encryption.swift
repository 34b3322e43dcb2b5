import FireLiteSQLiteBridge
import Foundation

extension Connection {
    /// How a database file begins that is not encrypted (<https://www.sqlite.org/fileformat2.html#magic_header_string>).
    private static let plainStart = Array("SQLite format 3\0".utf8)

    /// Opens a store's file, with its key where it has one.
    ///
    /// Whether the key is the right one, the first read tells: see `explaining`.
    /// - Throws: `FHIRStoreError`: `noEncryption`, `invalidArgument`, `notEncrypted`; `SQLiteError`.
    static func open(
        _ path: String, isReadOnly: Bool = false, isImmutable: Bool = false, createsFile: Bool = true, key: EncryptionKey?,
        pageChecksums: PageChecksums = .verified,
        isHardened: Bool = true
    ) throws -> Connection {
        try key?.verify(for: path)
        // An encrypted page has a code of its own.
        let connection = try Connection(
            path: path, isReadOnly: isReadOnly, isImmutable: isImmutable, createsFile: createsFile,
            pageChecksums: key == nil ? pageChecksums : .ignored,
            isHardened: isHardened)
        guard let key else { return connection }
        if connection.startOfFile(plainStart.count) == plainStart {
            throw FHIRStoreError(
                .notEncrypted,
                "\(path) is not encrypted: open it without a key, and encrypt a copy with backup(to:encryption:) if it should be")
        }
        try key.secret.withBytes { try connection.unlock($0) }
        return connection
    }

    /// Runs `body`, which reads the file for the first time, and tells what it means where SQLite finds no database in it.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError`: `wrongKey`, `missingKey`.
    func explaining<Value>(_ path: String, key: EncryptionKey?, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError where error.isNoDatabase {
            guard looksEncrypted(path) else { throw error }
            if key != nil {
                throw FHIRStoreError(
                    .wrongKey,
                    "\(path) cannot be read with this key: give the one it was made with. Where it is that one, the file's beginning is "
                        + "damaged, or it was made by another major version of SQLCipher", sqliteCode: error.code)
            }
            let remedy = Self.isBuiltForEncryption ? "give its key" : "give its key, in a build with the trait SQLCipher"
            throw FHIRStoreError(.missingKey, "\(path) is encrypted, or no database at all: \(remedy)", sqliteCode: error.code)
        }
    }

    /// Whether the file can be an encrypted one: of whole pages, the first of which begins like random bytes.
    ///
    /// Of 512 random bytes about 221 differ; less than 180 do not come about by chance, and text has about 100 at most.
    private func looksEncrypted(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0, status.st_size % 512 == 0, let start = startOfFile(512) else { return false }
        return Set(start).count >= 180
    }
}

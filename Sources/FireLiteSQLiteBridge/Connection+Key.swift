import FireLiteSQLite
import Foundation

extension Connection {
    /// Whether the package was built with the trait `SQLCipher`.
    public static var isBuiltForEncryption: Bool {
        #if SQLCipher
            true
        #else
            false
        #endif
    }

    /// The first bytes of the file on the disk, padded with zeros; nil if they cannot be read.
    public func startOfFile(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let code = bytes.withUnsafeMutableBytes { firelite_read_start(handle, $0.baseAddress, Int32($0.count)) }
        return code == SQLITE_OK || code == 522 /* SQLITE_IOERR_SHORT_READ */ ? bytes : nil
    }

    #if SQLCipher
        /// The page size of encrypted files, which do not store it: SQLite's own, whatever SQLCipher's default.
        private static let setPageSize = "cipher_page_size = 4096"

        /// Sets the key of a newly opened file. The first read shows whether it is the right one.
        ///
        /// - Parameter key: not empty.
        /// - Throws: `SQLiteError` if the linked library is not SQLCipher: SQLite would ignore a key.
        public func unlock(_ key: UnsafeRawBufferPointer) throws {
            // First of all, as the key functions may be SQLCipher's and the connection another library's.
            guard let version = try prepare("PRAGMA cipher_version").firstText, !version.isEmpty else {
                throw SQLiteError(code: SQLITE_MISUSE, message: "the linked library, \(Self.libraryVersion), is not SQLCipher")
            }
            // Version 4 would also print errors to standard error; version 3 does not know the setting.
            try execute("PRAGMA cipher_log_level = NONE")
            try withKeyText(key) { try check(sqlite3_key_v2(handle, "main", $0.baseAddress, Int32(clamping: $0.count))) }
            try run("PRAGMA \(Self.setPageSize)")
        }

        /// Writes the content of the database to another file with another key, or with none (`sqlcipher_export`,
        /// <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export>).
        ///
        /// - Parameter path: an empty file.
        /// - Throws: `SQLiteError`.
        public func export(to path: String, key: UnsafeRawBufferPointer?) throws {
            let attach = try prepare("ATTACH DATABASE ? AS export KEY ?")
            attach.bind(1, path)
            if let key {
                try withKeyText(key) {
                    attach.bind(2, unownedBlob: $0)
                    try attach.run()
                    attach.bindNull(2)
                }
            } else {
                attach.bind(2, "")
                try attach.run()
            }
            // An incomplete copy is deleted, so nothing must be undone.
            if key != nil { try run("PRAGMA export.\(Self.setPageSize)") }
            try execute("PRAGMA export.journal_mode = OFF; PRAGMA export.synchronous = OFF; BEGIN; SELECT sqlcipher_export('export')")
            // The export does not copy these.
            for name in ["application_id", "user_version"] {
                try run("PRAGMA export.\(name) = \(try integer("PRAGMA main.\(name)") ?? 0)")
            }
            try execute("COMMIT; DETACH DATABASE export")
        }

        private func check(_ code: Int32) throws {
            guard code == SQLITE_OK else { throw error(code, sql: nil) }
        }

        /// A key of 32 bytes in the form that SQLCipher uses without derivation, `x'…'`; any other unchanged, as a passphrase
        /// (<https://www.zetetic.net/sqlcipher/sqlcipher-api/#key>).
        private func withKeyText<Value>(
            _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Value
        ) rethrows -> Value {
            guard key.count == 32 else { return try body(key) }
            let digits: StaticString = "0123456789abcdef"
            return try withUnsafeTemporaryAllocation(byteCount: 67, alignment: 1) { text in
                defer { wipe(text) }
                text[0] = UInt8(ascii: "x")
                text[1] = UInt8(ascii: "'")
                for (index, byte) in key.enumerated() {
                    text[2 + 2 * index] = digits.utf8Start[Int(byte >> 4)]
                    text[3 + 2 * index] = digits.utf8Start[Int(byte & 15)]
                }
                text[66] = UInt8(ascii: "'")
                return try body(UnsafeRawBufferPointer(text))
            }
        }
    #else
        private static var refusal: SQLiteError {
            SQLiteError(code: SQLITE_MISUSE, message: "the package was built without the trait SQLCipher")
        }

        /// - Throws: `SQLiteError`, as SQLite would ignore a key.
        public func unlock(_ key: UnsafeRawBufferPointer) throws { throw Self.refusal }

        /// - Throws: `SQLiteError`, as SQLite would ignore a key.
        public func export(to path: String, key: UnsafeRawBufferPointer?) throws { throw Self.refusal }
    #endif
}

extension Statement {
    /// The first column of the first row as text.
    fileprivate var firstText: String? {
        get throws {
            defer { reset() }
            return try step() ? text(0) : nil
        }
    }
}

/// Overwrites memory that held a secret. The compiler cannot optimize this away, as it can other writes to memory that is freed next.
public func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress, memory.count > 0 else { return }
    #if canImport(Darwin)
        memset_s(base, memory.count, 0, memory.count)
    #else
        explicit_bzero(base, memory.count)
    #endif
}

import CFireLiteChecksumVFS
import FireLiteSQLite

/// Checksums of pages, which a VFS of this package keeps in the last bytes of each (see `CFireLiteChecksumVFS.h`).
extension Connection {
    /// What a connection does about the checksums of a file's pages. Files without room for them are like any other in every case.
    public enum PageChecksums: Sendable {
        /// Pages are written with one, and one that does not have its own is refused when it is read.
        case verified
        /// Pages are written with one, and what is read is not compared.
        case unverified
        /// Left alone, as by other programs: pages that are written keep what checksums they had, and are refused afterwards.
        case ignored
    }

    // Immortal texts, never changed. Each registered once, as the first connection of its kind is opened.
    private nonisolated(unsafe) static let verifyingVFS = firelite_checksum_vfs_register(1)
    private nonisolated(unsafe) static let unverifyingVFS = firelite_checksum_vfs_register(0)

    /// The name of the VFS to open a file with; nil for the default one.
    ///
    /// - Throws: `SQLiteError` where it could not be registered, as writing without it would spoil the file.
    static func vfs(_ checksums: PageChecksums) throws -> UnsafePointer<CChar>? {
        if checksums == .ignored { return nil }
        guard let name = checksums == .verified ? verifyingVFS : unverifyingVFS else {
            throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory")
        }
        return name
    }

    /// Makes room for a checksum in every page of a database that is still empty.
    ///
    /// Without effect before SQLite 3.32, whose library does not know the option.
    public func reservePageChecksums() {
        var bytes: Int32 = FIRELITE_CHECKSUM_BYTES
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
    }

    /// Whether the pages have room for checksums.
    public var hasPageChecksums: Bool {
        var bytes: Int32 = -1
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
        // Where the library does not know the option, the file's header tells (https://www.sqlite.org/fileformat2.html#resbyte).
        if code != SQLITE_OK { return startOfFile(21)?.last == UInt8(FIRELITE_CHECKSUM_BYTES) }
        return bytes == FIRELITE_CHECKSUM_BYTES
    }

    /// Gives every page that is written from now on a checksum, before the first page has said that they have room for it.
    func beginPageChecksums(pageSize: Int32) {
        var size = pageSize
        _ = sqlite3_file_control(handle, "main", FIRELITE_FCNTL_CHECKSUM_PAGES, &size)
    }
}

extension SQLiteError {
    /// Whether a page does not have its own checksum: the file is damaged, or a program that does not keep checksums has written to it.
    public var isChecksumMismatch: Bool { code == FIRELITE_CORRUPT_CHECKSUM }
}

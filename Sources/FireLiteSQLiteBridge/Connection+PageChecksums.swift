import CFireLiteChecksumVFS
import FireLiteSQLite

/// Page checksums, which a VFS of this package keeps in the last bytes of each page (see `CFireLiteChecksumVFS.h`).
extension Connection {
    /// How a connection handles page checksums. Without effect for files without room for them.
    public enum PageChecksums: Sendable {
        /// Pages are written with a checksum, and a page with a wrong one is refused when it is read.
        case verified
        /// Pages are written with a checksum, which is not compared when they are read.
        case unverified
        /// Not compared, and the header of a damaged file is read with the values that this library writes. For connections that only read.
        case mended
        /// Ignored, as by other programs: written pages keep their old checksums, and are refused afterwards.
        case ignored
    }

    // Texts that are never freed or changed. Each is registered once, when the first connection of its kind is opened.
    private nonisolated(unsafe) static let verifyingVFS = firelite_checksum_vfs_register(FIRELITE_VERIFYING)
    private nonisolated(unsafe) static let unverifyingVFS = firelite_checksum_vfs_register(FIRELITE_UNVERIFYING)
    private nonisolated(unsafe) static let mendingVFS = firelite_checksum_vfs_register(FIRELITE_MENDING)

    /// The name of the VFS to open a file with; nil for the default one.
    ///
    /// - Throws: `SQLiteError` if it could not be registered, as writing without it would corrupt the file.
    static func vfs(_ checksums: PageChecksums) throws -> UnsafePointer<CChar>? {
        let vfs: UnsafePointer<CChar>?
        switch checksums {
        case .ignored: return nil
        case .verified: vfs = verifyingVFS
        case .unverified: vfs = unverifyingVFS
        case .mended: vfs = mendingVFS
        }
        guard let name = vfs else {
            throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory")
        }
        return name
    }

    /// Reserves room for a checksum in every page of an empty database.
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
        // If the library does not know the option, the file's header has the answer (https://www.sqlite.org/fileformat2.html#resbyte).
        if code != SQLITE_OK { return startOfFile(21)?.last == UInt8(FIRELITE_CHECKSUM_BYTES) }
        return bytes == FIRELITE_CHECKSUM_BYTES
    }

    /// Forgets the pages that were read, so that what is read next is read from the file and its log again.
    public func forgetPages() {
        _ = sqlite3_file_control(handle, "main", FIRELITE_FCNTL_FORGET_PAGES, nil)
        sqlite3_db_release_memory(handle)
    }

    /// The numbers of the pages without a checksum that were read from the file, since `forgetPages()`, although others have one: they were written by a
    /// program that keeps none, or overwritten with zeros. Pages in the log do not count.
    public var pagesWithoutChecksum: [Int] {
        var pages = firelite_unchecked_pages()
        guard sqlite3_file_control(handle, "main", FIRELITE_FCNTL_UNCHECKED_PAGES, &pages) == SQLITE_OK, pages.has_checked != 0 else {
            return []
        }
        var numbers: [Int] = []
        for (place, byte) in UnsafeBufferPointer(start: pages.bits, count: Int(pages.bytes)).enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (1 << UInt8(bit)) != 0 { numbers.append(place * 8 + bit + 1) }
        }
        return numbers
    }

    /// Writes every page with a checksum from now on, even before the first page has been read.
    func beginPageChecksums(pageSize: Int32) {
        var size = pageSize
        _ = sqlite3_file_control(handle, "main", FIRELITE_FCNTL_CHECKSUM_PAGES, &size)
    }
}

extension SQLiteError {
    /// Whether a page has a wrong checksum: the file is damaged, or a program that does not keep checksums has written to it.
    public var isChecksumMismatch: Bool { code == FIRELITE_CORRUPT_CHECKSUM }
}

import FireLite
import FireLiteCore

/// The tables of payloads in files next to the database. They are a module of their own, as most databases do not have them.
enum PayloadFileTables {
    /// The name of the file with a payload, whose pieces follow one another in it.
    private static let files = ModuleTable(
        "_blobfile", key: "blob", columns: [.init("name", .text)], indexes: [.init("name", isUnique: true)])

    /// One row: the minimum size of a payload that goes into a file. No row if none does.
    private static let policy = ModuleTable("_blobfile_policy", key: "policy", columns: [.init("minimum", .integer)])

    static let module = ModuleTables(module: "blobfile", version: 1, tables: [files, policy])
}

extension ReadTransaction {
    func fileRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try rows(of: PayloadFileTables.module, sql, arguments)
    }

    /// The name of the file with a payload; nil for one that is in the database.
    func fileName(of blob: Int64) throws -> String? {
        try fileRows("SELECT name FROM _blobfile WHERE blob = ?", [.integer(blob)]).first?[0].text
    }

    /// The minimum size of a payload that goes into a file; nil if none does.
    var minimumFileBytes: Int? {
        get throws { try fileRows("SELECT minimum FROM _blobfile_policy").first?[0].integer.map { Int(clamping: $0) } }
    }
}

extension WriteTransaction {
    /// The folder for a payload that goes into a file; nil if it stays in the database, because it is small, or because it would be in the
    /// clear next to an encrypted database.
    func folder(forPayloadOf byteCount: Int, isSealed: Bool) throws -> PayloadFolder? {
        guard let folder = PayloadFolder(store), let minimum = try minimumFileBytes, byteCount >= minimum else { return nil }
        return isSealed || store.configuration.key == nil ? folder : nil
    }

    /// Notes that a payload is in a file of this write.
    func addFile(_ name: String, in folder: PayloadFolder, of blob: Int64) throws {
        writtenFiles.append(folder.path(of: name))
        try run(on: PayloadFileTables.module, "INSERT INTO _blobfile(blob, name) VALUES (?, ?)", [.integer(blob), .text(name)])
    }

    /// Has the file of a payload deleted once the write is committed.
    func deleteFile(of blob: Int64) throws {
        guard let name = try fileName(of: blob) else { return }
        try run(on: PayloadFileTables.module, "DELETE FROM _blobfile WHERE blob = ?", [.integer(blob)])
        if let folder = PayloadFolder(store), PayloadFolder.isName(name) { doomedFiles.append(folder.path(of: name)) }
    }

    /// Keeps the files that a savepoint has brought back, and those that another payload may need, whose rows are damaged.
    func keepFilesInUse() throws {
        guard !doomedFiles.isEmpty, let folder = PayloadFolder(store) else { return }
        let used = Set(try fileRows("SELECT name FROM _blobfile").compactMap { $0[0].text.map(folder.path(of:)) })
        doomedFiles.removeAll { used.contains($0) }
        guard !doomedFiles.isEmpty else { return }
        do {
            doomedFiles = try undoubted(doomedFiles, in: folder, Set(folder.names()))
        } catch let error as FHIRStoreError where error.code == .disk {
            // The folder cannot be read. The next `resume` finds them.
            doomedFiles.removeAll()
        }
    }
}

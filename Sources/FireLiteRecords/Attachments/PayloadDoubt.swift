import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

// A file or a payload may be deleted only if nothing can need it. Rows that are damaged may no longer say what does, so whatever deletes asks here.

extension ReadTransaction {
    /// Why a file that no row names may still be needed; nil if none can be.
    ///
    /// - Parameters:
    ///   - isFile: whether the folder has a file with a name.
    ///   - readsResources: whether resources are searched for references to payloads without a row.
    /// - Complexity: reads the rows of all payloads; with `readsResources` also the columns with Attachments.
    func payloadDoubt(_ isFile: (String) -> Bool, readsResources: Bool) throws -> String? {
        if let damaged = try damagedPayload() { return damaged }
        if readsResources {
            if try hasLostTables { return "a table of resources is missing" }
            if let row = try blobRows("SELECT root FROM _blob_reference WHERE blob NOT IN (SELECT blob FROM _blob) LIMIT 1").first {
                return "the resource with number \(row[0].integer ?? 0) is noted with a payload that has no row"
            }
        }
        if let row = try fileRows("SELECT blob, name FROM _blobfile").first(where: { !Self.isFile($0[1], isFile) }) {
            return try "\(payloadText(row[0].integer ?? 0)) is in a file that is missing"
        }
        if let blob = try payloadsWithoutContent(limit: 1).first {
            return try "\(payloadText(blob)) has lost its pieces or the row that names its file"
        }
        guard readsResources, let lost = try lostPayloads().first else { return nil }
        return Self.text(lost)
    }

    /// What is wrong with a row whose hash or size no payload can have; nil if there is no such row. Nothing refers to a payload before it has its hash.
    func damagedPayload() throws -> String? {
        try blobRows(
            """
            SELECT blob FROM _blob b WHERE hash IS NOT NULL AND (typeof(hash) <> 'blob' OR length(hash) <> 32)
            OR hash IS NULL AND EXISTS (SELECT 1 FROM _blob_reference r WHERE r.blob = b.blob)
            OR typeof(bytes) <> 'integer' OR bytes < 0 LIMIT 1
            """
        ).first.map { "the row \($0[0].integer ?? 0) of _blob is damaged" }
    }

    private static func isFile(_ value: SQLValue, _ isFile: (String) -> Bool) -> Bool {
        value.text.map { PayloadFolder.isName($0) && isFile($0) } ?? false
    }

    static func text(_ lost: PayloadFault) -> String {
        let resources = lost.resources.isEmpty ? "a resource" : lost.resources.joined(separator: ", ")
        return "the payload \(lost.hash.hexText.prefix(12))… has no row, and \(resources) refers to it"
    }

    func payloadText(_ blob: Int64) throws -> String {
        let hash = try blobRows("SELECT hash FROM _blob WHERE blob = ?", [.integer(blob)]).first?[0].data ?? Data()
        return hash.isEmpty ? "the payload with number \(blob)" : "the payload \(hash.hexText.prefix(12))…"
    }

    /// The complete payloads whose file is missing, or that have neither a file nor pieces.
    func payloadsWithoutFile(_ isFile: (String) -> Bool) throws -> [Int64] {
        let named = try fileRows("SELECT blob, name FROM _blobfile").filter { !Self.isFile($0[1], isFile) }.compactMap { $0[0].integer }
        return try (Set(named).union(payloadsWithoutContent(limit: -1))).sorted()
    }

    /// The complete payloads that have neither pieces nor a row that names a file.
    private func payloadsWithoutContent(limit: Int64) throws -> [Int64] {
        let hasFiles = try hasTables(of: PayloadFileTables.module)
        return try blobRows(
            """
            SELECT b.blob FROM _blob b WHERE b.hash IS NOT NULL AND b.bytes > 0
            AND NOT EXISTS (SELECT 1 FROM _blob_chunk c WHERE c.chunk = \(RowKey.key(ofSQL: "b.blob")))
            \(hasFiles ? "AND NOT EXISTS (SELECT 1 FROM _blobfile f WHERE f.blob = b.blob)" : "") LIMIT ?
            """, [.integer(limit)]
        ).compactMap { $0[0].integer }
    }

    /// Whether the stored bytes of a payload are those that its row says; nil if a key to say so, or a part of it, is missing.
    func isIntact(_ blob: Int64) throws -> Bool? {
        guard let reference = try reference(toBlob: blob) else { return nil }
        do {
            try verify(reference) { _ in try checkCancellation() }
            return true
        } catch let error as AttachmentError {
            return error.code == .wrongHash ? false : nil
        }
    }

    /// What may be in one of some payloads or files: payloads without a file, and those that resources or their older versions refer to and that have no row.
    private func searchedPayloads(_ isFile: (String) -> Bool) throws -> [PayloadReference] {
        var searched = try payloadsWithoutFile(isFile).compactMap(reference(toBlob:))
        let note = { (reference: PayloadReference) in
            if try self.blob(withHash: reference.hash)?.byteCount != reference.byteCount { searched.append(reference) }
        }
        try forEachPayloadReference { try note(PayloadReference($1)) }
        try forEachVersionReference { try note($1) }
        return searched
    }

    /// Whether the content of a file can be that of one of some payloads.
    private func canHold(_ name: String, _ payloads: [PayloadReference], _ folder: PayloadFolder) throws -> Bool {
        guard let size = folder.size(of: name) else { return false }
        let fitting = payloads.filter { $0.storedByteCount == size }
        if fitting.contains(where: \.isSealed) { return true }
        guard !fitting.isEmpty else { return false }
        let hash = folder.hash(of: name)
        return hash.map { hash in fitting.contains { $0.hash == hash } } ?? true
    }

    /// The files that may be deleted with their payload although rows of others are damaged.
    ///
    /// - Parameter names: the names in the folder.
    func undoubted(_ files: [String], in folder: PayloadFolder, _ names: Set<String>) throws -> [String] {
        guard try payloadDoubt(names.contains, readsResources: false) != nil else { return files }
        let searched = try searchedPayloads(names.contains)
        return try files.filter { try !canHold(String($0.dropFirst(folder.path(of: "").count)), searched, folder) }
    }
}

extension WriteTransaction {
    /// Names the files again that payloads have lost, if their content matches.
    ///
    /// - Parameters:
    ///   - unnamed: the files that no row names.
    ///   - isFile: whether the folder has a file with a name.
    func takeBackFiles(_ unnamed: Set<String>, in folder: PayloadFolder, _ isFile: (String) -> Bool) throws {
        var unnamed = unnamed
        for blob in try payloadsWithoutFile(isFile) {
            guard let size = try reference(toBlob: blob)?.storedByteCount else { continue }
            let before = try fileRows("SELECT name FROM _blobfile WHERE blob = ?", [.integer(blob)]).first
            let sql = "INSERT OR REPLACE INTO _blobfile(blob, name) VALUES (?, ?)"
            for name in unnamed.sorted() where folder.size(of: name) == size {
                try run(on: PayloadFileTables.module, sql, [.integer(blob), .text(name)])
                if try isIntact(blob) == true {
                    unnamed.remove(name)
                    break
                }
                if let before {
                    try run(on: PayloadFileTables.module, sql, [.integer(blob), before[0]])
                } else {
                    try run(on: PayloadFileTables.module, "DELETE FROM _blobfile WHERE blob = ?", [.integer(blob)])
                }
            }
        }
    }
}

extension PayloadReference {
    /// The number of bytes of a file with the payload.
    fileprivate var storedByteCount: Int { byteCount &+ (isSealed ? StoredBlob.pieces(byteCount) &* PayloadSeal.addedBytes : 0) }
}

extension PayloadFolder {
    /// The SHA-256 of a file; nil if it cannot be read.
    fileprivate func hash(of name: String) -> Data? {
        reading(name) { descriptor, size in
            let digest = RunningDigest()
            var buffer = Data(count: 1 << 20)
            var offset = 0
            while offset < size {
                let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, at: offset, into: $0) }
                guard count > 0 else { return nil }
                digest.update(buffer.prefix(count))
                offset += count
            }
            return digest.finish()
        } ?? nil
    }
}

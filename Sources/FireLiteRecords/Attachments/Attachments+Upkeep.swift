import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension Attachments {
    /// The separate payloads, in the order they were stored.
    ///
    /// - Throws: `FHIRStoreError`.
    public func list() throws -> [StoredPayload] {
        try store.read { tx in
            let isSealed = try tx.hasPayloadKeys ? "EXISTS (SELECT 1 FROM _blobkey k WHERE k.blob = b.blob)" : "0"
            return try tx.blobRows(
                """
                SELECT hash, bytes, created,
                (SELECT count(DISTINCT root) FROM _blob_reference r WHERE r.blob = b.blob AND r.kept = 0),
                (SELECT count(*) FROM _blob_reference r WHERE r.blob = b.blob AND r.kept = 1), \(isSealed)
                FROM _blob b WHERE hash IS NOT NULL ORDER BY blob
                """
            ).compactMap { row in
                guard case .blob(let hash) = row[0] else { return nil }
                return StoredPayload(
                    hash: Data(hash), byteCount: Int(row[1].integer ?? 0), isSealed: row[5].integer == 1,
                    created: Date(timeIntervalSince1970: Double(row[2].integer ?? 0) / 1_000), resources: Int(row[3].integer ?? 0),
                    isInHistory: row[4].integer != 0)
            }
        }
    }

    /// Compares every payload with its hash and its size, and finds those that resources refer to and the store does not have. `check()` of the store finds
    /// missing ones without reading them.
    ///
    /// - Parameter progress: receives the number of bytes read. Default: none.
    /// - Returns: the missing and changed payloads.
    /// - Throws: errors of `progress`; `FHIRStoreError`.
    public func verify(progress: StoreProgressHandler? = nil) throws -> [PayloadFault] {
        try store.read { tx in
            let payloads = try tx.payloads()
            let total = payloads.reduce(0) { $0 &+ $1.reference.byteCount }
            var (faults, read): ([PayloadFault], Int) = ([], 0)
            for (blob, reference) in payloads {
                do {
                    try tx.verify(reference) { count in
                        read += count
                        try tx.checkCancellation()
                        try progress?(StoreProgress(.checkingResources, read, of: total, .bytes))
                    }
                } catch let error as AttachmentError {
                    faults.append(
                        PayloadFault(hash: reference.hash, code: error.code, resources: try tx.resources(referringTo: blob)))
                }
            }
            return try faults + tx.lostPayloads()
        }
    }

    /// Deletes unreferenced payloads: those that were put and never used, those left by an interrupted `put`, those of pruned versions, and
    /// those whose resources a program without this module deleted.
    ///
    /// Payloads whose last resource is deleted with this module need no collecting: the same write deletes them. A payload that has lost its file gets
    /// it back if the content of a file that no row names matches its hash.
    ///
    /// Nothing is deleted while a resource, or an older version of one, is not what was stored: what it refers to is not certain then.
    /// - Returns: the number of deleted payloads and of their bytes.
    /// - Complexity: reads all resources, and all that the store has tracked, to compare them with their digests.
    /// - Throws: `AttachmentError.missing` after the rest was deleted, if payloads or files stay that damaged rows may need; `FHIRStoreError`.
    @discardableResult
    public func removeUnreferencedPayloads() throws -> (payloads: Int, bytes: Int) {
        let collected = try collect()
        if let reason = collected.kept.first ?? collected.keptFiles {
            throw AttachmentError(.missing, "\(reason): restore it from a backup, and collect again")
        }
        return (collected.payloads, collected.bytes)
    }

    /// Deletes unreferenced payloads, but for those that damaged rows may need. While a resource is not what was stored, nothing is deleted, and the
    /// references that are noted stay: they may be all that is left of it.
    ///
    /// - Parameter takesBackFiles: whether payloads that have lost their files get those back whose content matches. Default: true.
    /// - Complexity: reads all resources, and all that the store has tracked. Others can write meanwhile.
    /// - Throws: `FHIRStoreError`.
    package func collect(takesBackFiles: Bool = true) throws -> CollectedPayloads {
        guard try store.read({ try $0.hasTables(of: BlobTables.module) }) else { return CollectedPayloads() }
        let isResumed = store.payloads.keeper != nil
        if !isResumed { try resume() }
        let keeper = AttachmentKeeper(places: PayloadPlaces(store.release), minimumBytes: nil)
        let doubt = try store.read { try $0.resourceDoubt() }
        let keptFiles = try sweepFiles(takesBack: takesBackFiles, doubt)
        if let doubt { return CollectedPayloads(kept: ["no payload is deleted, as resources are damaged: \(doubt)"], keptFiles: keptFiles) }
        var collected = try store.write { tx in
            // A running `put` writes every few seconds.
            let recent = store.clock.now().milliseconds(.down) - Self.abandonedMilliseconds
            let loose = { () throws -> [Int64] in
                let rows = try tx.blobRows("SELECT blob FROM _blob WHERE hash IS NOT NULL OR created < ?", [.integer(recent)])
                return rows.compactMap { $0[0].integer }
            }
            if let reason = try tx.lostPayloads().first.map(ReadTransaction.text) ?? tx.damagedPayload() {
                // The references that are noted may say whose row is damaged, so they stay. What is known to be another payload can go.
                let deleted = try tx.deleteBlobs(tx.unused(loose(), areIntact: true))
                return CollectedPayloads(payloads: deleted.payloads, bytes: deleted.bytes, kept: [reason])
            }
            // Never delete a payload that a resource refers to, whatever the rows say.
            try keeper.findReferences(tx)
            try tx.notePayloadsComplete()
            var kept: [String] = []
            let deletable = try tx.unreferenced(loose()).filter { blob in
                guard try tx.isIntact(blob) == false else { return true }
                kept.append("\(try tx.payloadText(blob)) stays, although nothing refers to it, as its bytes do not match its hash")
                return false
            }
            let deleted = try tx.deleteBlobs(deletable)
            return CollectedPayloads(payloads: deleted.payloads, bytes: deleted.bytes, kept: kept)
        }
        collected.keptFiles = keptFiles
        return collected
    }

    /// The age of a payload whose put has not ended, after which its process is taken to be gone.
    static let abandonedMilliseconds: Int64 = 24 * 3_600_000
}

/// The result of collecting payloads.
package struct CollectedPayloads: Sendable {
    /// The number of deleted payloads.
    package var payloads = 0
    /// The number of their bytes.
    package var bytes = 0
    /// Why payloads without a use stay that damaged rows may need; empty if none do.
    package var kept: [String] = []
    /// Why files without a payload stay; nil if none do.
    package var keptFiles: String?
}

extension ReadTransaction {
    /// The payloads that are complete, in the order in which they were stored.
    fileprivate func payloads() throws -> [(blob: Int64, reference: PayloadReference)] {
        let isSealed = try hasPayloadKeys ? "EXISTS (SELECT 1 FROM _blobkey k WHERE k.blob = b.blob)" : "0"
        return try blobRows("SELECT blob, hash, bytes, \(isSealed) FROM _blob b WHERE hash IS NOT NULL ORDER BY blob").compactMap { row in
            guard let blob = row[0].integer, let bytes = row[2].integer else { return nil }
            return (
                blob, PayloadReference(hash: row[1].data, byteCount: Int(bytes), isLiteral: false, isSealed: row[3].integer == 1)
            )
        }
    }

    /// The payloads that resources refer to and that have no row, in the order of their hashes. The resources are read, as the rows of a lost payload
    /// may be lost with it.
    func lostPayloads() throws -> [PayloadFault] {
        var referring: [String: (hash: Data, roots: Set<Int64>)] = [:]
        try forEachPayloadReference { root, text in
            let hash = Data(text.hash)
            if try blob(withHash: hash) == nil { referring[hash.hexText, default: (hash, [])].roots.insert(root) }
        }
        return try referring.sorted { $0.key < $1.key }.map { _, lost in
            try PayloadFault(hash: lost.hash, code: .missing, resources: lost.roots.sorted().compactMap(reference(toResource:)))
        }
    }

    /// `Type/id` of a resource; nil if it has no id.
    private func reference(toResource root: Int64) throws -> String? {
        try resource(number: root).flatMap { resource in resource.id.map { "\(resource.resourceType)/\($0)" } }
    }

    /// Reads a payload piece by piece.
    ///
    /// - Parameter each: called with the number of bytes of each piece.
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`; errors of `each`.
    func verify(_ reference: PayloadReference, _ each: (Int) throws -> Void) throws {
        guard reference.byteCount >= 0 else { throw Self.missing(reference) }
        let blob = try stored(reference)
        // What follows the last piece of a file is not hashed.
        if blob.file != nil, try storedCount(blob) > blob.byteCount { throw Self.changed(reference) }
        let digest = RunningDigest()
        for place in 0..<blob.pieceCount {
            let piece = try piece(place, of: blob, reference)
            if blob.seal == nil { digest.update(piece) }
            try each(piece.count)
        }
        guard blob.seal != nil || digest.finish() == reference.hash else { throw Self.changed(reference) }
    }

    /// Calls `body` with each reference to a payload in the older versions that the log keeps, and the number of its resource.
    func forEachVersionReference(_ body: (Int64, PayloadReference) throws -> Void) throws {
        guard try !blobRows("SELECT 1 FROM sqlite_master WHERE name = '_change' AND type = 'table'").isEmpty else { return }
        for row in try blobRows("SELECT root, content FROM _change WHERE content LIKE '%\"blob:%sha256:%'") {
            guard let root = row[0].integer, let content = row[1].text else { continue }
            for part in content.parts(separatedByBytes: "\"blob:").dropFirst() {
                guard let end = part.firstIndex(of: "\""), let reference = PayloadReference("blob:" + part[..<end]) else { continue }
                try body(root, reference)
            }
        }
    }

    func resources(referringTo blob: Int64) throws -> [String] {
        try blobRows("SELECT DISTINCT root FROM _blob_reference WHERE blob = ? AND kept = 0 ORDER BY root", [.integer(blob)]).compactMap {
            try $0[0].integer.flatMap(reference(toResource:))
        }
    }
}

extension AttachmentKeeper {
    /// Notes the references that resources and their older versions have, and no others.
    func findReferences(_ tx: WriteTransaction) throws {
        var found: [Int64: Set<Int64>] = [:]
        for row in try tx.blobRows("SELECT DISTINCT root FROM _blob_reference WHERE kept = 0") { found[row[0].integer ?? 0] = [] }
        try tx.forEachPayloadReference { root, text in
            if let blob = try tx.blob(withHash: Data(text.hash)) { found[root, default: []].insert(blob.number) }
        }
        for (root, blobs) in found.sorted(by: { $0.key < $1.key }) {
            try tx.checkCancellation()
            try note(blobs.sorted(), ofResource: root, isNew: false, keepsVersions: true, tx)
        }
        try tx.runBlobs("UPDATE _blob_reference SET kept = 1 WHERE kept = 0 AND root NOT IN (SELECT root FROM _resource)")
        try noteVersions(versions(tx), tx)
    }

    /// The payloads that older versions refer to, by the numbers of their resources.
    private func versions(_ tx: WriteTransaction) throws -> [Int64: Set<Int64>] {
        var versions: [Int64: Set<Int64>] = [:]
        try tx.forEachVersionReference { root, reference in
            if let blob = try tx.blob(withHash: reference.hash) { versions[root, default: []].insert(blob.number) }
        }
        return versions
    }

    private func noteVersions(_ versions: [Int64: Set<Int64>], _ tx: WriteTransaction) throws {
        for row in try tx.blobRows("SELECT reference, root, blob FROM _blob_reference WHERE kept = 1") {
            guard let root = row[1].integer, let blob = row[2].integer, !(versions[root]?.contains(blob) ?? false) else { continue }
            try tx.runBlobs("DELETE FROM _blob_reference WHERE reference = ?", [row[0]])
        }
        for (root, blobs) in versions.sorted(by: { $0.key < $1.key }) {
            for blob in blobs.sorted() {
                try tx.runBlobs(
                    """
                    INSERT INTO _blob_reference(root, blob, kept) SELECT ?1, ?2, 1
                    WHERE NOT EXISTS (SELECT 1 FROM _blob_reference WHERE root = ?1 AND blob = ?2)
                    """, [.integer(root), .integer(blob)])
            }
        }
    }
}

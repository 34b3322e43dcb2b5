import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// Nothing is deleted that a damaged row may need.
@Suite struct PayloadDoubtTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ keyring: RecordKeyring? = nil) throws -> FHIRStore {
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        if let keyring { store.records.encryption = .perRecord(keyring) }
        try store.attachments.resume()
        return store
    }

    /// A store with two payloads of the same size in files.
    private func store(_ keyring: RecordKeyring? = nil) throws -> FHIRStore {
        let store = try open(keyring)
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: 20_000))
        for id in ["1", "2"] { try store.write { _ = try $0.upsert(Payloads.document(id, Self.text(id))) } }
        return store
    }

    private static func text(_ id: String) -> String { Payloads.bytes(30_000, seed: id == "1" ? 1 : 2).fhirBase64 }

    private func data(_ store: FHIRStore, _ id: String) throws -> String? { try Payloads.whole(store, id).content[0].attachment?.data }

    private func run(_ store: FHIRStore, _ sql: String) throws {
        #expect(try store.write { try $0.run(on: PayloadFileTables.module, sql) } == 1)
    }

    private func files(_ store: FHIRStore) throws -> [String] { try #require(PayloadFolder(store)).names().sorted() }

    private func code(_ body: () throws -> Void) -> AttachmentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? AttachmentError)?.code
        }
    }

    @Test(arguments: ["'/etc/x'", "''", "NULL", "name || '0'", "upper(name)", "CAST(name AS BLOB)", "7"])
    func theFileOfADamagedNameStaysAndIsTakenBack(_ name: String) throws {
        var names: [String] = []
        do {
            let store = try store()
            names = try files(store)
            #expect(names.count == 2)
            // So that capital letters differ.
            let letters = try store.sql("SELECT count(*) FROM _blobfile WHERE upper(name) <> name")[0][0]
            try #require(letters == 2)
            try run(store, "UPDATE _blobfile SET name = \(name) WHERE blob = (SELECT min(blob) FROM _blobfile)")
            try store.close()
        }
        // Opening, writing and deleting another payload's resource keep it.
        let store = try open()
        #expect(try files(store) == names)
        try store.write { _ = try $0.upsert(Payloads.document("3", "AAAA")) }
        #expect(code { _ = try data(store, "1") } == .missing)
        let findings = try store.check()
        #expect(findings.count == 2 && findings.allSatisfy { $0.kind == .payload && $0.table == "_blobfile" })
        #expect(findings.last?.text.contains("1 file in \(store.path)-payloads that no row names") == true)
        try store.write { _ = try $0.delete(DocumentReference.self, id: "2") }
        #expect(try files(store).count == 1)
        try store.attachments.sweepFiles()
        #expect(try files(store).count == 1)
        try store.attachments.removeUnreferencedPayloads()
        #expect(try data(store, "1") == Self.text("1"))
        #expect(try store.check().isEmpty && store.attachments.verify().isEmpty)
    }

    @Test func aSealedPayloadTakesItsFileBack() throws {
        let keyring = try RecordKeyring()
        let store = try store(keyring)
        try run(store, "UPDATE _blobfile SET name = 'x' WHERE blob = (SELECT min(blob) FROM _blobfile)")
        // The size is the same, and without the key nobody knows whose file it is.
        let names = try files(store)
        try store.attachments.sweepFiles()
        #expect(try files(store) == names)
        try store.attachments.removeUnreferencedPayloads()
        for id in ["1", "2"] { #expect(try data(store, id) == Self.text(id)) }
        #expect(try files(store) == names && store.check().isEmpty)
    }

    /// Two payloads have lost their rows, and another has the name of the file of one of them.
    @Test func aFileIsNotDeletedWithAPayloadThatHasItsName() throws {
        let store = try store()
        let rows = try store.read { try $0.fileRows("SELECT blob, name FROM _blobfile ORDER BY blob") }
        try #require(rows.count == 2)
        try run(store, "DELETE FROM _blobfile WHERE blob = (SELECT min(blob) FROM _blobfile)")
        try store.write { tx in
            _ = try tx.run(on: PayloadFileTables.module, "UPDATE _blobfile SET name = ?", [rows[0][1]])
        }
        try store.write { _ = try $0.delete(DocumentReference.self, id: "2") }
        #expect(try files(store).contains(#require(rows[0][1].text)))
        try store.attachments.removeUnreferencedPayloads()
        #expect(try data(store, "1") == Self.text("1"))
    }

    /// A reference without a row: one of the payloads that nothing refers to is its payload.
    @Test(arguments: ["zeroblob(32)", "NULL", "'text'", "x'00'"]) func aPayloadWithADamagedHashIsNotCollected(_ hash: String) throws {
        let store = try store()
        let spare = try store.attachments.put(Payloads.bytes(9_000, seed: 7))
        let before = try store.sql("SELECT hash FROM _blob WHERE blob = 1")[0][0]
        try store.write { _ = try $0.runBlobs("UPDATE _blob SET hash = \(hash) WHERE blob = 1") }
        let error = #expect(throws: AttachmentError.self) { try store.attachments.removeUnreferencedPayloads() }
        #expect(error?.code == .missing && error?.message.contains("has no row, and DocumentReference/1 refers to it") == true)
        // What is known to be another payload is collected.
        #expect(try Payloads.count(store) == 2 && code { _ = try store.attachments.data(spare) } == .missing)
        try store.write { tx in _ = try tx.runBlobs("UPDATE _blob SET hash = ? WHERE blob = 1", [before]) }
        #expect(try data(store, "1") == Self.text("1"))
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0 && store.check().isEmpty)
    }

    /// Nothing refers to a payload, and its bytes are not those of its row.
    @Test func aPayloadThatDoesNotMatchItsHashIsNotCollected() throws {
        let store = try store()
        _ = try store.attachments.put(Payloads.bytes(9_000, seed: 7))
        try Damage.flip(store)
        let error = #expect(throws: AttachmentError.self) { try store.attachments.removeUnreferencedPayloads() }
        #expect(error?.message.contains("do not match its hash") == true)
        #expect(try Payloads.count(store) == 3)
    }

    // MARK: - Damaged resources

    /// The payload may be that of a resource whose rows no longer say so.
    @Test(arguments: ["replace(attachment_data, 'blob:', 'blab:')", "NULL"])
    func nothingIsCollectedWhileAResourceIsDamaged(_ value: String) throws {
        let store = try store()
        try store.write { tx in
            let number = try #require(try tx.registered("DocumentReference", id: "2")).root
            let sql = "UPDATE DocumentReference_content SET attachment_data = \(value) WHERE _k >> 24 = ?"
            #expect(try tx.runBlobs(sql, [.integer(number)]) == 1)
        }
        let notes = try store.sql("SELECT count(*) FROM _blob_reference")[0][0]
        for _ in 0..<2 {
            let error = #expect(throws: AttachmentError.self) { try store.attachments.removeUnreferencedPayloads() }
            #expect(error?.code == .missing && error?.message.contains("as resources are damaged") == true)
            #expect(try Payloads.count(store) == 2 && files(store).count == 2)
            #expect(try store.sql("SELECT count(*) FROM _blob_reference")[0][0] == notes)
        }
        let findings = try store.check()
        #expect(findings.contains { $0.kind == .content } && !findings.contains { $0.text.contains("collect the payloads") })
        // A resource that is deleted takes its own payload with it, and no other.
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(try Payloads.count(store) == 1 && files(store).count == 1)
    }

    @Test func nothingIsCollectedWhileAnOlderVersionIsDamaged() throws {
        let store = try store()
        try store.track(.history)
        try store.write { tx in
            let document = try #require(try tx.resource(DocumentReference.self, id: "1"))
            document.content = []
        }
        let sql = "UPDATE _change SET content = replace(content, 'blob:', 'blab:') WHERE content LIKE '%blob:%'"
        #expect(try store.write { try $0.runBlobs(sql) } == 1)
        for _ in 0..<2 {
            #expect(code { try store.attachments.removeUnreferencedPayloads() } == .missing)
            #expect(try Payloads.count(store) == 2)
        }
    }

    /// A thumbnail can be the payload of a resource, too, whose note is lost.
    @Test func aThumbnailThatAResourceRefersToStays() throws {
        let store = try store()
        try store.write { tx in
            let blobs = try tx.blobRows("SELECT blob FROM _blob ORDER BY blob").compactMap { $0[0].integer }
            try #require(blobs.count == 2)
            _ = try tx.run(
                on: ThumbnailTables.module, "INSERT INTO _thumbnail(original, height, blob) VALUES (?, 10, ?)",
                [.integer(blobs[0]), .integer(blobs[1])])
            _ = try tx.runBlobs("DELETE FROM _blob_reference WHERE blob = ?", [.integer(blobs[1])])
        }
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(try Payloads.count(store) == 1 && data(store, "2") == Self.text("2"))
    }
}

import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// A file that lacks payloads says so, and nothing that is referred to is deleted.
@Suite struct MissingPayloadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A store with a payload in the database and one in a file.
    private func store(_ name: String = "store.sqlite") throws -> FHIRStore {
        let store = try FHIRStore(path: folder.file(name), release: .r4)
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: 400_000))
        try store.write { tx in
            try tx.upsert(Payloads.document("row", Payloads.bytes(300_000).fhirBase64))
            try tx.upsert(Payloads.document("file", Payloads.bytes(500_000, seed: 2).fhirBase64))
            try tx.upsert(Binary { ($0.id, $0.contentType, $0.data) = ("b", "text/plain", Payloads.bytes(9_000, seed: 3).fhirBase64) })
        }
        return store
    }

    private func texts(_ findings: [StoreFinding]) -> [String] {
        findings.map { "\($0.kind.rawValue) \($0.table ?? "") \($0.typeName ?? "") \($0.number ?? 0)" }
    }

    /// What else opens the file knows nothing of payloads.
    private func plain(_ name: String = "store.sqlite") throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.access = .readOnly
        return try FHIRStore(path: folder.file(name), release: .r4, configuration: configuration)
    }

    // MARK: - Recovering and copying

    @Test func aCopyHasThePayloadsInFiles() throws {
        let store = try store()
        for source in [store, try plain()] {
            let name = source === store ? "copy" : "plain"
            #expect(try source.backup(to: URL(fileURLWithPath: folder.file("\(name).sqlite"))).isEmpty)
            let copy = try FHIRStore(path: folder.file("\(name).sqlite"), release: .r4)
            try copy.attachments.resume()
            #expect(try copy.attachments.verify().isEmpty && copy.check().isEmpty)
        }
        let report = try FHIRStore.recover(
            from: URL(fileURLWithPath: folder.file("store.sqlite")), to: URL(fileURLWithPath: folder.file("new.sqlite")), release: .r4)
        #expect(report.isComplete)
        let new = try FHIRStore(path: folder.file("new.sqlite"), release: .r4)
        try new.attachments.resume()
        #expect(try new.attachments.verify().isEmpty && Payloads.whole(new, "file").content[0].attachment?.data?.utf8.count == 666_668)
    }

    @Test(arguments: ["piece", "payload", "file"]) func missingPayloadsAreNamed(_ what: String) throws {
        let store = try store()
        let id = what == "file" ? "file" : "row"
        let root = try store.read { tx in
            let document = try #require(try tx.resource(DocumentReference.self, id: id))
            return try #require(tx.number(of: document))
        }
        var expected = ""
        switch what {
        case "piece":
            try store.write { _ = try $0.runBlobs("DELETE FROM _blob_chunk WHERE chunk = (SELECT min(chunk) FROM _blob_chunk)") }
            expected = "payload _blob_chunk DocumentReference \(root)"
        case "payload":
            try store.write { _ = try $0.runBlobs("DELETE FROM _blob WHERE blob = (SELECT min(blob) FROM _blob)") }
            expected = "payload _blob DocumentReference \(root)"
        default:
            let payloads = PayloadFolder(database: folder.file("store.sqlite"))
            for name in try payloads.names() { try FileManager.default.removeItem(atPath: payloads.path(of: name)) }
            expected = "payload _blobfile DocumentReference \(root)"
        }
        #expect(try texts(store.check()) == [expected])
        #expect(try texts(plain().check()) == [expected])
        #expect(try texts(plain().backup(to: URL(fileURLWithPath: folder.file("copy.sqlite")))) == [expected])
        let report = try FHIRStore.recover(
            from: URL(fileURLWithPath: folder.file("store.sqlite")), to: URL(fileURLWithPath: folder.file("new.sqlite")), release: .r4)
        #expect(report.recovered == 3 && report.lost.isEmpty && !report.isComplete)
        #expect(report.lackingPayloads.map(\.number) == [root] && report.lackingPayloads.map(\.typeName) == ["DocumentReference"])
        #expect(report.lackingPayloads.first?.reason.hasPrefix("the payload ") == true)
    }

    /// What has the name of the folder is as good as nothing: the rest is copied.
    @Test(arguments: ["file", "link"]) func aFolderThatIsNoneLacksItsPayloads(_ what: String) throws {
        let path = folder.file("store.sqlite")
        let expected: [String]
        do {
            let store = try store()
            let document = try #require(try store.resource(DocumentReference.self, id: "file"))
            expected = ["payload _blobfile DocumentReference \(try #require(try store.read { $0.number(of: document) }))"]
            try store.close()
        }
        let payloads = PayloadFolder(database: path).path
        try FileManager.default.removeItem(atPath: payloads)
        if what == "file" {
            try folder.write("store.sqlite-payloads", "x")
        } else {
            try FileManager.default.createSymbolicLink(atPath: payloads, withDestinationPath: payloads)
        }
        #expect(try texts(plain().check()) == expected)
        #expect(try texts(plain().backup(to: URL(fileURLWithPath: folder.file("copy.sqlite")))) == expected)
        let report = try FHIRStore.recover(
            from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder.file("new.sqlite")), release: .r4)
        #expect(report.recovered == 3 && report.lost.isEmpty && report.lackingPayloads.count == 1)
        for name in ["copy", "new"] { #expect(try PayloadFolder(database: folder.file("\(name).sqlite")).names().isEmpty) }
    }

    // MARK: - Collecting

    @Test func whatResourcesReferToIsNotCollected() throws {
        let store = try store()
        let whole = try Payloads.whole(store, "file")
        try store.write { _ = try $0.runBlobs("DELETE FROM _blob_reference") }
        #expect(try texts(store.check()).count == 3)
        #expect(try store.check().allSatisfy { $0.kind == .payload && $0.table == "_blob_reference" })
        let collected = try store.attachments.removeUnreferencedPayloads()
        #expect(collected.payloads == 0)
        #expect(try store.check().isEmpty && store.attachments.verify().isEmpty)
        #expect(try FHIRJSON.string(Payloads.whole(store, "file")) == FHIRJSON.string(whole))
        // What nothing refers to goes, whatever the rows say.
        try store.write { tx in
            _ = try tx.delete(Binary.self, id: "b")
            _ = try tx.runBlobs("INSERT INTO _blob_reference(root, blob, kept) SELECT 99, min(blob), 0 FROM _blob")
        }
        #expect(try texts(store.check()) == ["payload _blob_reference  99"])
        #expect(try Payloads.count(store) == 2 && store.attachments.removeUnreferencedPayloads().payloads == 0 && store.check().isEmpty)
    }

    @Test func olderVersionsKeepTheirPayloads() throws {
        let store = try store()
        try store.track(.history)
        try store.write { tx in
            let document = try #require(try tx.resource(DocumentReference.self, id: "row"))
            document.content = []
            try tx.saveChanges()
            _ = try tx.runBlobs("DELETE FROM _blob_reference")
        }
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
        #expect(try Payloads.count(store) == 3)
    }

    /// Two resources with one payload: the row that notes the reference of one is lost, and the other is deleted.
    @Test func deletingAResourceKeepsPayloadsThatOthersReferTo() throws {
        let store = try store()
        try store.write { try $0.upsert(Payloads.document("other", Payloads.bytes(300_000).fhirBase64)) }
        let whole = try FHIRJSON.string(Payloads.whole(store, "row"))
        try store.write { tx in
            let other = try #require(try tx.registered("DocumentReference", id: "other"))
            _ = try tx.runBlobs("DELETE FROM _blob_reference WHERE root <> ?", [.integer(other.root)])
        }
        try store.write { _ = try $0.delete(DocumentReference.self, id: "other") }
        #expect(try Payloads.count(store) == 3)
        #expect(try FHIRJSON.string(Payloads.whole(store, "row")) == whole)
        // Once nothing refers to it, it goes.
        try store.attachments.removeUnreferencedPayloads()
        try store.write { _ = try $0.delete(DocumentReference.self, id: "row") }
        #expect(try Payloads.count(store) == 2 && store.check().isEmpty)
    }

    @Test func filesStayWhileAPayloadHasLostItsRow() throws {
        let store = try store()
        let payloads = try #require(PayloadFolder(store))
        let names = try payloads.names()
        #expect(names.count == 1)
        let rows = try store.read { try $0.fileRows("SELECT blob, name FROM _blobfile") }
        try store.write { _ = try $0.run(on: PayloadFileTables.module, "DELETE FROM _blobfile") }
        try store.attachments.sweepFiles()
        #expect(try payloads.names() == names)
        try store.write { tx in
            for row in rows {
                _ = try tx.run(on: PayloadFileTables.module, "INSERT INTO _blobfile(blob, name) VALUES (?, ?)", [row[0], row[1]])
            }
        }
        // Nothing is missing now: a file that no row names goes.
        let stray = payloads.path(of: String(repeating: "a", count: 32))
        try Data([1]).write(to: URL(fileURLWithPath: stray))
        try store.attachments.sweepFiles()
        #expect(try payloads.names() == names)
    }

    /// A folder that cannot be read is an error; one that does not exist is empty.
    @Test func anUnreadableFolderIsNotAnEmptyOne() throws {
        let folder = PayloadFolder(database: folder.file("none.sqlite"))
        #expect(try folder.names().isEmpty)
        // A file in its place: the superuser may read folders of any mode.
        try Data([1]).write(to: URL(fileURLWithPath: folder.path))
        let error = #expect(throws: FHIRStoreError.self) { try folder.names() }
        #expect(error?.code == .disk)
    }
}

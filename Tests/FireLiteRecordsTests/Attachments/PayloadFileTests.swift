import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// Payloads in files beside the database.
@Suite(.timeLimit(.minutes(30))) struct PayloadFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
    }

    private func store(_ keyring: RecordKeyring? = nil, _ path: String? = nil) throws -> FHIRStore {
        let store = try FHIRStore(path: path ?? self.path, release: .r4)
        if let keyring { store.records.encryption = .perRecord(keyring) }
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: 100_000))
        return store
    }

    private func files(_ path: String? = nil) -> [String] {
        do {
            return try PayloadFolder(database: path ?? self.path).names().sorted()
        } catch {
            Issue.record(error)
            return []
        }
    }

    private func code(_ body: () throws -> Void) -> AttachmentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? AttachmentError)?.code
        }
    }

    @Test func largePayloadsAreInFilesAndGoWithTheLastResource() throws {
        for keyring in [nil, try RecordKeyring()] {
            let path = folder.file(keyring == nil ? "clear.sqlite" : "sealed.sqlite")
            let store = try store(keyring, path)
            #expect(try store.attachments.policy?.fileThreshold == 100_000)
            let sizes = [50_000, 100_000, 700_000, 512 << 10]
            let texts = sizes.map { (Data("marker".utf8) + Payloads.bytes($0 - 6)).fhirBase64 }
            try store.write { tx in
                for (number, text) in texts.enumerated() { try tx.upsert(Payloads.document("\(number)", text)) }
                try tx.upsert(Payloads.document("again", texts[1]))
            }
            #expect(files(path).count == 3 && files(path).allSatisfy(PayloadFolder.isName))
            for name in files(path) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: PayloadFolder(database: path).path(of: name)))
                #expect((bytes.range(of: Data("marker".utf8)) == nil) == (keyring != nil))
            }
            for (number, text) in texts.enumerated() {
                let document = try #require(try store.resource(DocumentReference.self, id: "\(number)"))
                #expect(try store.attachments.resolvingPayloads(in: document).content[0].attachment?.data == text)
                let reference = try #require(document.content[0].attachment?.data.flatMap { PayloadReference($0) })
                let whole = try store.attachments.data(reference)
                #expect(try store.attachments.data(reference, in: 1_000..<sizes[number] - 5) == whole[1_000..<sizes[number] - 5])
            }
            #expect(try store.attachments.verify().isEmpty && store.check().isEmpty)
            try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
            #expect(files(path).count == 3)
            try store.write { _ = try $0.delete(DocumentReference.self, id: "again") }
            #expect(files(path).count == 2)
            #expect(try store.attachments.inlinePayloads() == 3)
            #expect(files(path).isEmpty)
            #expect(try Payloads.whole(store, "2").content[0].attachment?.data == texts[2])
        }
    }

    @Test func streamsGoIntoFiles() async throws {
        for keyring in [nil, try RecordKeyring()] {
            let path = folder.file(keyring == nil ? "clear.sqlite" : "sealed.sqlite")
            let store = try store(keyring, path)
            let bytes = Payloads.bytes(10_000_000)
            let stream = AsyncStream<Data> { stream in
                for start in stride(from: 0, to: bytes.count, by: 1_000_000) { stream.yield(bytes[start..<start + 1_000_000]) }
                stream.finish()
            }
            let reference = try await store.attachments.put(stream)
            #expect(files(path).count == 1)
            #expect(try store.blocking { try $0.sql("SELECT count(*) FROM _blob_chunk")[0][0] } == 0)
            #expect(try await store.attachments.data(reference) == bytes)
            var read = Data()
            for try await piece in store.attachments.pieces(reference) { read += piece }
            #expect(read == bytes)
            // One that fails leaves nothing.
            let failing = AsyncThrowingStream<Data, any Error> { stream in
                for _ in 0..<8 { stream.yield(Payloads.bytes(1_000_000, seed: 9)) }
                stream.finish(throwing: CancellationError())
            }
            await #expect(throws: CancellationError.self) { try await store.attachments.put(failing) }
            #expect(files(path).count == 1)
            #expect(try store.blocking { try Payloads.count($0) } == 1)
        }
    }

    @Test func aFailedWriteLeavesNoFile() throws {
        let store = try store()
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.upsert(Payloads.document("1", Payloads.bytes(200_000).fhirBase64))
                #expect(files().count == 1)
                throw CancellationError()
            }
        }
        #expect(files().isEmpty)
        // A savepoint that is rolled back inside a write that goes on.
        let copy = Payloads.document("2", Payloads.bytes(200_000).fhirBase64)
        copy.content.append(
            DocumentReferenceContent { $0.attachment = Attachment { $0.data = "blob:sha256:" + String(repeating: "0", count: 64) + ";9" } })
        try store.write { tx in #expect(throws: AttachmentError.self) { try tx.upsert(copy) } }
        try store.attachments.removeUnreferencedPayloads()
        #expect(files().isEmpty)
        #expect(try store.check().isEmpty)
    }

    /// What is on the disk after a crash between the file and the commit, and between the commit and the deletion of a file.
    @Test func filesThatACrashLeavesAreDeletedWhenTheStoreIsOpened() throws {
        let payloads = PayloadFolder(database: path)
        do {
            let store = try store()
            try store.write { _ = try $0.upsert(Payloads.document("1", Payloads.bytes(200_000).fhirBase64)) }
            try store.close()
        }
        let kept = files()
        let orphan = try payloads.writer()
        try orphan.append(Data("a payload".utf8))
        try orphan.finish()
        // A temporary file whose writer is gone, and one whose writer is at work.
        try Data("half".utf8).write(to: URL(fileURLWithPath: payloads.path(of: "gone.part")))
        let working = try payloads.writer()
        #expect(files().count == 4)
        let store = try FHIRStore(path: path, release: .r4)
        try store.attachments.resume()
        #expect(files() == (kept + [working.name + PayloadFileWriter.suffix]).sorted())
        #expect(try store.attachments.verify().isEmpty)
        try working.append(Data([1]))
    }

    /// A link with the name of the copy's folder is not followed, whether it leads to a folder, to another file or nowhere.
    @Test(arguments: ["victim", "text", "nothing"]) func aCopyFollowsNoLinkToAFolder(_ destination: String) throws {
        let store = try store()
        try store.write { _ = try $0.upsert(Payloads.document("1", Payloads.bytes(300_000).fhirBase64)) }
        try FileManager.default.createDirectory(atPath: folder.file("victim"), withIntermediateDirectories: false)
        try folder.write("text", "mine")
        let copy = folder.file("copy.sqlite")
        let link = PayloadFolder(database: copy).path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file(destination))
        let names = try folder.names
        let error = #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: copy)) }
        #expect(error?.code == .cannotOpen && error?.message.contains("copy.sqlite-payloads is a link") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("victim")).isEmpty && folder.names == names)
        #expect(try folder.read("text") == "mine")
        // Without the link the folder is made.
        try FileManager.default.removeItem(atPath: link)
        try store.backup(to: URL(fileURLWithPath: copy))
        #expect(files(copy) == files())
    }

    @Test func aMissingOrChangedFileIsAnErrorOfItsPayloadAlone() throws {
        let store = try store()
        for id in ["1", "2"] {
            let bytes = Payloads.bytes(300_000, seed: id == "1" ? 1 : 2)
            try store.write { _ = try $0.upsert(Payloads.document(id, bytes.fhirBase64)) }
        }
        let name = try #require(try store.sql("SELECT name FROM _blobfile ORDER BY blob").first?[0].text)
        let file = URL(fileURLWithPath: PayloadFolder(database: path).path(of: name))
        var bytes = try Data(contentsOf: file)
        bytes[150_000] ^= 1
        try bytes.write(to: file)
        #expect(code { _ = try Payloads.whole(store, "1") } == .wrongHash)
        #expect(try store.attachments.verify().map(\.code) == [.wrongHash])
        bytes[150_000] ^= 1
        try bytes.write(to: file)
        #expect(try store.attachments.verify().isEmpty && store.check().isEmpty)
        // All pieces match, and something follows them.
        try (bytes + [0]).write(to: file)
        #expect(try store.check().map(\.kind) == [.payload])
        #expect(try store.attachments.verify().map(\.code) == [.wrongHash])
        try bytes.prefix(200_000).write(to: file)
        #expect(code { _ = try Payloads.whole(store, "1") } == .missing)
        #expect(try store.check().map(\.kind) == [.payload])
        try FileManager.default.removeItem(at: file)
        #expect(code { _ = try Payloads.whole(store, "1") } == .missing)
        #expect(try store.check().map(\.kind) == [.payload])
        #expect(try store.attachments.verify().map(\.code) == [.missing])
        // A link is not followed, and a name does not leave the folder, though the right bytes are there.
        let outside = folder.file("outside")
        try Payloads.bytes(300_000).write(to: URL(fileURLWithPath: outside))
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: outside)
        #expect(code { _ = try Payloads.whole(store, "1") } == .missing)
        try store.write { tx in
            _ = try tx.run(on: PayloadFileTables.module, "UPDATE _blobfile SET name = '../outside' WHERE blob = 1")
        }
        #expect(code { _ = try Payloads.whole(store, "1") } == .missing)
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(FileManager.default.fileExists(atPath: outside))
        #expect(try Payloads.whole(store, "2").content[0].attachment?.data == Payloads.bytes(300_000, seed: 2).fhirBase64)
    }

    /// A payload is replaced in a savepoint that is rolled back, inside a write that goes on.
    @Test func aFileThatASavepointBringsBackStays() throws {
        let keyring = try RecordKeyring()
        let store = try store(keyring)
        let text = Payloads.bytes(200_000).fhirBase64
        try store.write { _ = try $0.upsert(Payloads.document("1", text)) }
        let kept = files()
        let lost = try #require(keyring.key(RecordKeyring.firstID))
        try keyring.makePrimary(keyring.addKey())
        try keyring.removeKey(RecordKeyring.firstID)
        let copy = Payloads.document("2", text)
        let dangling = "blob:sha256:" + String(repeating: "0", count: 64) + ";9"
        copy.content.append(DocumentReferenceContent { $0.attachment = Attachment { $0.data = dangling } })
        try store.write { tx in
            #expect(throws: AttachmentError.self) { try tx.upsert(copy) }
            try tx.upsert(Payloads.document("3", "AAAA"))
        }
        #expect(Set(files()).isSuperset(of: kept))
        try keyring.addKey(lost, id: RecordKeyring.firstID)
        #expect(try Payloads.whole(store, "1").content[0].attachment?.data == text)
        try store.attachments.removeUnreferencedPayloads()
        #expect(files() == kept)
    }

    @Test func backupsHaveTheFiles() throws {
        let copy = folder.file("copy.sqlite")
        let data = Payloads.bytes(300_000).fhirBase64
        let store = try store()
        try store.write { _ = try $0.upsert(Payloads.document("1", data)) }
        try store.backup(to: URL(fileURLWithPath: copy))
        #expect(files(copy) == files())
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        let restored = try FHIRStore(path: copy, release: .r4)
        try restored.attachments.resume()
        #expect(try Payloads.whole(restored, "1").content[0].attachment?.data == data)
        #expect(try restored.check().isEmpty)
    }

    @Test func aStoreInMemoryHasNoFiles() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        #expect(code { try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: 1)) } == .invalidArgument)
    }
}

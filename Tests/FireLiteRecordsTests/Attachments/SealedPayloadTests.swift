import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// Payloads that are sealed with keys of their own.
@Suite(.timeLimit(.minutes(30))) struct SealedPayloadTests {
    private func sealedStore(_ path: String? = nil, _ keyring: RecordKeyring) throws -> FHIRStore {
        let store = try path.map { try FHIRStore(path: $0, release: .r4) } ?? FHIRStore.inMemory(release: .r4)
        store.records.encryption = .perRecord(keyring)
        try store.attachments.externalizeNewPayloads()
        return store
    }

    private func code(_ body: () throws -> Void) -> AttachmentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? AttachmentError)?.code
        }
    }

    private func reference(_ store: FHIRStore, _ id: String) throws -> PayloadReference {
        let document = try #require(try store.resource(DocumentReference.self, id: id))
        return try #require(document.content[0].attachment?.data.flatMap { PayloadReference($0) })
    }

    private func run(_ store: FHIRStore, _ sql: String) throws {
        try store.write { tx in _ = try tx.runBlobs(sql) }
    }

    @Test func sealedPayloadsComeBackAsTheyWereAndShowNothing() throws {
        let keyring = try RecordKeyring()
        let store = try sealedStore(nil, keyring)
        let sizes = [4_096, BlobTables.chunkBytes - 1, BlobTables.chunkBytes, BlobTables.chunkBytes + 1, 3 * BlobTables.chunkBytes]
        for size in sizes {
            let bytes = Data("a marker that must not be seen ".utf8) + Payloads.bytes(size - 31)
            let document = Payloads.document("\(size)", bytes.fhirBase64)
            let json = FHIRJSON.string(document)
            try store.write { _ = try $0.upsert(document) }
            let reference = try reference(store, "\(size)")
            #expect(reference.isSealed && reference.byteCount == size && reference.hash != PayloadReference.hash(of: bytes))
            #expect("\(reference)".hasPrefix("blob:hmac-sha256:") && PayloadReference("\(reference)") == reference)
            #expect(try FHIRJSON.string(Payloads.whole(store, "\(size)")) == json)
            #expect(try store.attachments.data(reference) == bytes)
            #expect(try store.attachments.data(reference, in: 5..<size - 3) == bytes[5..<size - 3])
            #expect(try store.attachments.data(reference, in: size - 1..<size + 10) == bytes.suffix(1))
        }
        #expect(try store.attachments.list().map(\.isSealed) == sizes.map { _ in true })
        #expect(try store.attachments.verify().isEmpty && store.check().isEmpty)
        for row in try store.sql("SELECT content FROM _blob_chunk") {
            #expect(row[0].data.range(of: Data("marker".utf8)) == nil)
        }
    }

    @Test func textsThatAreNotPlainBase64AreSealedToo() throws {
        let store = try sealedStore(nil, try RecordKeyring())
        let folded = Payloads.bytes(10_001).base64EncodedString(options: [.lineLength76Characters])
        try store.write { _ = try $0.upsert(Payloads.document("1", folded)) }
        #expect(try reference(store, "1").isLiteral && reference(store, "1").isSealed)
        #expect(try Payloads.whole(store, "1").content[0].attachment?.data == folded)
    }

    @Test func equalBytesAreOneSealedPayloadThatGoesWithItsKey() throws {
        let store = try sealedStore(nil, try RecordKeyring())
        let data = Payloads.bytes(300_000).fhirBase64
        try store.write { tx in for number in 0..<10 { try tx.upsert(Payloads.document("\(number)", data)) } }
        #expect(try Payloads.count(store) == 1)
        try store.write { tx in
            let before = tx.rowsWritten
            let result = try tx.upsert([Payloads.document("1", data)])
            #expect(result.unchanged == 1 && tx.rowsWritten == before)
        }
        for number in 0..<10 {
            #expect(try store.sql("SELECT count(*) FROM _blobkey")[0][0] == 1)
            try store.write { _ = try $0.delete(DocumentReference.self, id: "\(number)") }
        }
        for table in ["_blob", "_blob_chunk", "_blob_reference", "_blobkey"] {
            #expect(try store.sql("SELECT count(*) FROM \(table)")[0][0] == 0, "\(table)")
        }
    }

    @Test func sealedPayloadsAreStoredAndReadInPieces() async throws {
        let keyring = try RecordKeyring()
        let store = try sealedStore(nil, keyring)
        for size in [0, 1, 256 << 10, (256 << 10) + 1, 16 << 18, 5_000_000] {
            let bytes = Payloads.bytes(size)
            let pieces = AsyncStream<Data> { stream in
                for start in stride(from: 0, to: size, by: 70_000) { stream.yield(bytes[start..<min(start + 70_000, size)]) }
                stream.finish()
            }
            let reference = try await store.attachments.put(pieces)
            #expect(reference.isSealed && reference.byteCount == size)
            #expect(try store.blocking { try $0.attachments.put(bytes) } == reference)
            #expect(try store.blocking { try $0.attachments.data(reference) } == bytes)
            var read = Data()
            for try await piece in store.attachments.pieces(reference) { read += piece }
            #expect(read == bytes)
        }
        #expect(try store.blocking { try $0.attachments.verify() }.isEmpty)
        // The key of one that is being stored is not in the file.
        #expect(try store.blocking { try Payloads.count($0) } == 6)
    }

    @Test func piecesThatWereChangedSwappedOrCutOffAreRefused() throws {
        let store = try sealedStore(nil, try RecordKeyring())
        let (first, second) = (Payloads.bytes(3 * BlobTables.chunkBytes), Payloads.bytes(3 * BlobTables.chunkBytes, seed: 2))
        for (id, bytes) in [("1", first), ("2", second)] {
            try store.write { _ = try $0.upsert(Payloads.document(id, bytes.fhirBase64)) }
        }
        let references = try ["1", "2"].map { try reference(store, $0) }
        let refused = { (number: Int) in code { _ = try store.attachments.data(references[number]) } }
        func swap(_ table: String, _ key: String, _ one: Int64, _ other: Int64) throws {
            for (from, to) in [(one, 0 as Int64), (other, one), (0, other)] {
                try store.write { tx in
                    _ = try tx.run(
                        on: table == "_blobkey" ? BlobKeyTables.module : BlobTables.module,
                        "UPDATE \(table) SET \(key) = \(to) WHERE \(key) = \(from)")
                }
            }
        }
        let key = { (blob: Int64, place: Int64) in blob << 24 | place }
        for (one, other) in [(key(1, 0), key(1, 1)), (key(1, 1), key(1, 2)), (key(1, 0), key(2, 0)), (key(1, 2), key(2, 2))] {
            try swap("_blob_chunk", "chunk", one, other)
            #expect(refused(0) == .wrongHash)
            #expect(try store.attachments.verify().map(\.code).contains(.wrongHash))
            try swap("_blob_chunk", "chunk", one, other)
            #expect(refused(0) == nil)
        }
        // The keys of two payloads, and their rows.
        try swap("_blobkey", "blob", 1, 2)
        #expect(refused(0) == .wrongHash && refused(1) == .wrongHash)
        try swap("_blobkey", "blob", 1, 2)
        let hashes = try store.sql("SELECT hash FROM _blob ORDER BY blob").map { $0[0] }
        try store.write { tx in
            _ = try tx.runBlobs("UPDATE _blob SET hash = NULL WHERE blob = 2")
            _ = try tx.runBlobs("UPDATE _blob SET hash = ? WHERE blob = 1", [hashes[1]])
            _ = try tx.runBlobs("UPDATE _blob SET hash = ? WHERE blob = 2", [hashes[0]])
        }
        #expect(refused(0) == .wrongHash && refused(1) == .wrongHash)
        try store.write { tx in
            _ = try tx.runBlobs("UPDATE _blob SET hash = NULL WHERE blob = 2")
            _ = try tx.runBlobs("UPDATE _blob SET hash = ? WHERE blob = 1", [hashes[0]])
            _ = try tx.runBlobs("UPDATE _blob SET hash = ? WHERE blob = 2", [hashes[1]])
        }
        #expect(refused(0) == nil && refused(1) == nil)
        // A payload that was cut at a piece, with its size: the last piece left is not the last.
        try run(store, "DELETE FROM _blob_chunk WHERE chunk = \(key(1, 2))")
        #expect(refused(0) == .missing)
        #expect(try store.check().map(\.kind) == [.payload])
        try run(store, "UPDATE _blob SET bytes = \(2 * BlobTables.chunkBytes) WHERE blob = 1")
        let cut = PayloadReference(
            hash: references[0].hash, byteCount: 2 * BlobTables.chunkBytes, isLiteral: false, isSealed: true)
        #expect(code { _ = try store.attachments.data(cut) } == .wrongHash)
        try Damage.flip(store)
        #expect(try store.attachments.verify().count == 1)
        #expect(try store.resource(DocumentReference.self, id: "1") != nil)
    }

    @Test func aKeyIsBoundToItsPayloadAndAPieceToItsPlaceAndToTheEnd() throws {
        let keyring = try RecordKeyring()
        let (hash, piece) = (Data(count: 32), Data("a piece".utf8))
        let seal = try PayloadSeal(blob: 1)
        let wrapped = try seal.wrapped(by: keyring, hash: hash, byteCount: 7)
        func opened(_ blob: Int64 = 1, hash: Data = hash, byteCount: Int = 7, place: Int64 = 0, isLast: Bool = true) -> Data? {
            try? PayloadSeal(blob: blob, wrapped, hash: hash, byteCount: byteCount, keyring: keyring) { CancellationError() }
                .open(seal.seal(piece, 0, isLast: true), place, isLast: isLast) { CancellationError() }
        }
        #expect(opened() == piece)
        #expect(opened(2) == nil && opened(hash: Data(repeating: 1, count: 32)) == nil && opened(byteCount: 8) == nil)
        #expect(opened(place: 1) == nil && opened(isLast: false) == nil)
    }

    @Test func aLostKeyIsAnErrorOfItsPayloadsAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let keyring = try RecordKeyring()
        let bytes = [1, 2].map { Payloads.bytes(300_000, seed: $0) }
        do {
            let store = try sealedStore(path, keyring)
            try store.write { _ = try $0.upsert(Payloads.document("1", bytes[0].fhirBase64)) }
            try keyring.makePrimary(keyring.addKey())
            try store.write { _ = try $0.upsert(Payloads.document("2", bytes[1].fhirBase64)) }
            try store.close()
        }
        let store = try FHIRStore(path: path, release: .r4)
        try store.attachments.resume()
        let references = try ["1", "2"].map { try reference(store, $0) }
        // Without a keyring.
        #expect(references.map { reference in code { _ = try store.attachments.data(reference) } } == [.missingKey, .missingKey])
        #expect(try store.attachments.verify().map(\.code) == [.missingKey, .missingKey])
        #expect(try store.check().isEmpty)
        // Without one of its keys. Changing the resource keeps the payload.
        try keyring.removeKey(RecordKeyring.firstID)
        store.records.encryption = .perRecord(keyring)
        #expect(references.map { reference in code { _ = try store.attachments.data(reference) } } == [.missingKey, nil])
        try store.write { tx in
            let stored = try #require(try tx.resource(DocumentReference.self, id: "1"))
            stored.content[0].attachment?.title = "another"
        }
        #expect(try Payloads.count(store) == 2)
        // Who still has the bytes mends it by storing them.
        try store.write { _ = try $0.upsert(Payloads.document("3", bytes[0].fhirBase64)) }
        #expect(try Payloads.count(store) == 2)
        #expect(try store.attachments.data(references[0]) == bytes[0])
        try store.write { _ = try $0.delete(DocumentReference.self, id: "3") }
        #expect(try store.attachments.data(references[0]) == bytes[0])
        #expect(try store.attachments.verify().isEmpty && store.check().isEmpty)
    }

    @Test func rotationWrapsTheKeysOfPayloadsAndChangesNoPiece() throws {
        let keyring = try RecordKeyring()
        let store = try sealedStore(nil, keyring)
        for number in 0..<5 {
            let bytes = Payloads.bytes(5_000, seed: UInt8(number))
            try store.write { _ = try $0.upsert(Payloads.document("\(number)", bytes.fhirBase64)) }
        }
        let before = try store.sql("SELECT content FROM _blob_chunk ORDER BY chunk").map(\.values)
        let fresh = try keyring.addKey()
        try keyring.makePrimary(fresh)
        let keys = try store.records.rewrap()
        #expect(keys.wrapped == 5 && keys.failed == 0)
        #expect(try store.records.rewrap().wrapped == 0)
        try keyring.removeKey(RecordKeyring.firstID)
        #expect(try store.sql("SELECT content FROM _blob_chunk ORDER BY chunk").map(\.values) == before)
        #expect(try store.attachments.verify().isEmpty)
    }

    @Test func payloadsInTheClearAreSealedByMovingThem() throws {
        let store = try Payloads.store()
        try store.write { tx in
            for number in 0..<5 { try tx.upsert(Payloads.document("\(number)", Payloads.bytes(5_000, seed: UInt8(number)).fhirBase64)) }
            try tx.upsert(Payloads.document("row", Payloads.bytes(3_000).fhirBase64))
        }
        let expected = try store.query(DocumentReference.self).all().map {
            try FHIRJSON.string(store.attachments.resolvingPayloads(in: $0))
        }
        let revisions = try store.sql("SELECT root, revision FROM _resource").map(\.values)
        store.records.encryption = .perRecord(try RecordKeyring())
        #expect(try store.attachments.externalizePayloads() == 5)
        #expect(try store.attachments.externalizePayloads() == 0)
        #expect(try store.attachments.list().allSatisfy { $0.isSealed && $0.resources == 1 } && store.attachments.list().count == 5)
        #expect(try store.sql("SELECT root, revision FROM _resource").map(\.values) == revisions)
        #expect(
            try store.query(DocumentReference.self).all().map { try FHIRJSON.string(store.attachments.resolvingPayloads(in: $0)) }
                == expected)
        #expect(try store.check().isEmpty)
        #expect(try store.attachments.inlinePayloads() == 5)
        #expect(try Payloads.count(store) == 0)
        #expect(try store.sql("SELECT count(*) FROM _blobkey")[0][0] == 0)
        #expect(try store.query(DocumentReference.self).all().map { FHIRJSON.string($0) } == expected)
    }

    @Test func collectingDeletesSealedPayloadsThatNothingRefersTo() throws {
        let store = try sealedStore(nil, try RecordKeyring())
        _ = try store.attachments.put(Payloads.bytes(10_000))
        try store.write { _ = try $0.upsert(Payloads.document("1", Payloads.bytes(5_000, seed: 2).fhirBase64)) }
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 1)
        #expect(try store.sql("SELECT count(*) FROM _blobkey")[0][0] == 1)
        #expect(try store.attachments.verify().isEmpty)
    }

    @Test func backupsAndRecoveredFilesHaveTheSealedPayloads() throws {
        let folder = try TemporaryFolder()
        let (path, copy, recovered) = (folder.file("store.sqlite"), folder.file("copy.sqlite"), folder.file("recovered.sqlite"))
        let keyring = try RecordKeyring()
        let data = Payloads.bytes(700_000).fhirBase64
        do {
            let store = try sealedStore(path, keyring)
            try store.write { _ = try $0.upsert(Payloads.document("1", data)) }
            try store.backup(to: URL(fileURLWithPath: copy))
            try store.close()
        }
        #expect(
            try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: recovered), release: .r4).unreadable.isEmpty)
        for path in [copy, recovered] {
            let store = try sealedStore(path, keyring)
            #expect(try Payloads.whole(store, "1").content[0].attachment?.data == data)
            #expect(try store.check().isEmpty)
        }
    }

    /// A sealed record must not depend on a payload that goes with the last clear resource.
    @Test func aRecordThatIsSealedLaterKeepsItsPayload() throws {
        let store = try Payloads.store()
        let data = Payloads.bytes(50_000).fhirBase64
        try store.records.create(Payloads.document("1", data))
        let copy = try #require(try store.resource(DocumentReference.self, id: "1")).copy()
        store.records.encryption = .perRecord(try RecordKeyring(), resources: ["DocumentReference": .keeping("status")])
        try store.records.update(copy)
        #expect(try Payloads.count(store) == 0)
        let record = try #require(try store.records.fetch(DocumentReference.self, id: "1"))
        #expect(record.resource.content[0].attachment?.data == data)
    }

    @Test func exchangedRecordsHaveTheirPayloads() throws {
        let keyring = try RecordKeyring()
        let store = try sealedStore(nil, keyring)
        let data = Payloads.bytes(50_000).fhirBase64
        try store.records.create(Payloads.document("1", data))
        let wire = try store.records.wireRecord("DocumentReference", id: "1", client: "app")
        let other = try sealedStore(nil, keyring)
        try other.records.receive(wire)
        #expect(try Payloads.whole(other, "1").content[0].attachment?.data == data)
    }
}

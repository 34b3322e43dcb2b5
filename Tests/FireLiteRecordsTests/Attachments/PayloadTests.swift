import FireLiteR4
import FireLiteRecords
import FireLiteReleases
import Foundation
import TestSupport
import Testing

/// Payloads that are kept apart from their resources.
@Suite struct PayloadTests {
    @Test func aFetchedResourceHasAReferenceAndTheWholeOneItsPayload() throws {
        let store = try Payloads.store()
        let bytes = Payloads.bytes(1_000_000)
        let document = Payloads.document("1", bytes.fhirBase64)
        let json = FHIRJSON.string(document)
        try store.write { _ = try $0.upsert(document) }
        // The object that was stored keeps what the app has set.
        #expect(document.content[0].attachment?.data == bytes.fhirBase64)
        let fetched = try #require(try store.resource(DocumentReference.self, id: "1"))
        let reference = try #require(fetched.content[0].attachment?.data.flatMap { PayloadReference($0) })
        #expect(reference.byteCount == 1_000_000)
        #expect(try FHIRJSON.string(store.attachments.resolvingPayloads(in: fetched)) == json)
        #expect(try store.attachments.data(reference) == bytes)
        #expect(try store.check().isEmpty)
    }

    @Test func everyTextComesBackAsItWas() throws {
        let store = try Payloads.store()
        let plain = Payloads.bytes(10_000).fhirBase64
        let folded = Payloads.bytes(10_001).base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn])
        // The unused bits of the last character are not zero.
        let unusual = Payloads.bytes(9_001).fhirBase64.dropLast(3) + "R=="
        let texts = [plain, folded, String(unusual), plain + " ", String(repeating: "not base64! ", count: 900), "blob:sha256:", "AAAA"]
        for (number, text) in texts.enumerated() {
            let document = Payloads.document("\(number)", text)
            let json = FHIRJSON.string(document)
            try store.write { _ = try $0.upsert(document) }
            let fetched = try #require(try store.resource(DocumentReference.self, id: "\(number)"))
            #expect(try FHIRJSON.string(store.attachments.resolvingPayloads(in: fetched)) == json, "\(number)")
            let isApart = fetched.content[0].attachment?.data.flatMap { PayloadReference($0) } != nil
            // Foundation may refuse the third.
            if number != 2 { #expect(isApart == (number < 4), "\(number)") }
            if isApart, let attachment = fetched.content[0].attachment {
                #expect(try store.attachments.data(of: attachment) == Data(fhirBase64: text), "\(number)")
            }
        }
    }

    @Test func anUnchangedResourceWritesNothingAndAChangedOneDropsItsPayload() throws {
        let store = try Payloads.store()
        let first = Payloads.bytes(50_000).fhirBase64
        try store.write { _ = try $0.upsert(Payloads.document("1", first)) }
        try store.write { tx in
            let before = tx.rowsWritten
            let result = try tx.upsert([Payloads.document("1", first)])
            #expect(result.unchanged == 1)
            #expect(tx.rowsWritten == before)
        }
        try store.write { tx in
            let stored = try #require(try tx.resource(DocumentReference.self, id: "1"))
            stored.content[0].attachment?.title = "another"
        }
        #expect(try Payloads.count(store) == 1)
        #expect(try Payloads.whole(store, "1").content[0].attachment?.data == first)
        let second = Payloads.bytes(50_000, seed: 2).fhirBase64
        try store.write { _ = try $0.upsert(Payloads.document("1", second)) }
        #expect(try Payloads.count(store) == 1)
        #expect(try Payloads.whole(store, "1").content[0].attachment?.data == second)
        try store.write { tx in
            let stored = try #require(try tx.resource(DocumentReference.self, id: "1"))
            stored.content[0].attachment?.data = nil
        }
        #expect(try Payloads.count(store) == 0)
        #expect(try store.check().isEmpty)
    }

    @Test func equalBytesAreOnePayloadThatGoesWithTheLastResource() throws {
        let store = try Payloads.store()
        let data = Payloads.bytes(300_000).fhirBase64
        try store.write { tx in for number in 0..<100 { try tx.upsert(Payloads.document("\(number)", data)) } }
        #expect(try Payloads.count(store) == 1)
        #expect(try store.attachments.list().map(\.resources) == [100])
        for number in 0..<100 {
            #expect(try Payloads.count(store) == 1)
            try store.write { _ = try $0.delete(DocumentReference.self, id: "\(number)") }
        }
        #expect(try Payloads.count(store) == 0)
        #expect(try store.sql("SELECT count(*) FROM _blob_chunk")[0][0] == 0)
        #expect(try store.sql("SELECT count(*) FROM _blob_reference")[0][0] == 0)
    }

    @Test func aFailedWriteLeavesNoPayloadAndTheObjectAsItWas() throws {
        let store = try Payloads.store()
        let data = Payloads.bytes(100_000).fhirBase64
        let document = Payloads.document("1", data)
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.add(document)
                throw CancellationError()
            }
        }
        #expect(document.content[0].attachment?.data == data)
        #expect(try Payloads.count(store) == 0)
    }

    @Test func importsKeepPayloadsApartAndKnowThemAgain() throws {
        let store = try Payloads.store()
        let folder = try TemporaryFolder()
        let documents = (0..<20).map { Payloads.document("\($0)", Payloads.bytes(5_000 + $0, seed: UInt8($0)).fhirBase64) }
        let path = try folder.write("in.ndjson", documents.map { FHIRJSON.string($0) }.joined(separator: "\n"))
        let url = URL(fileURLWithPath: path)
        #expect(try store.importResources(from: url).counts.added == 20)
        #expect(try Payloads.count(store) == 20)
        #expect(try store.importResources(from: url).counts.unchanged == 20)
        #expect(try FHIRJSON.string(Payloads.whole(store, "7")) == FHIRJSON.string(documents[7]))
    }

    @Test func backupsAndRecoveredFilesHaveThePayloads() throws {
        let folder = try TemporaryFolder()
        let (path, copy, recovered) = (folder.file("store.sqlite"), folder.file("copy.sqlite"), folder.file("recovered.sqlite"))
        let data = Payloads.bytes(700_000).fhirBase64
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try store.attachments.externalizeNewPayloads()
            try store.write { _ = try $0.upsert(Payloads.document("1", data)) }
            try store.backup(to: URL(fileURLWithPath: copy))
            try store.close()
        }
        let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: recovered), release: .r4)
        #expect(report.unreadable.isEmpty)
        for path in [copy, recovered] {
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.attachments.resume())
            #expect(try Payloads.whole(store, "1").content[0].attachment?.data == data)
            #expect(try store.check().isEmpty)
            try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
            #expect(try Payloads.count(store) == 0)
        }
    }

    @Test func payloadsOfEveryPlaceAreKeptApart() throws {
        let data = Payloads.bytes(6_000).fhirBase64
        let attachment = #"{"contentType":"text/plain","data":"\#(data)","_data":{"id":"d"}}"#
        let contained = #"{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"\#(data)"}"#
        let json = """
            {"resourceType":"Patient","id":"1","contained":[\(contained)],"extension":[{"url":"http://example.org/e",\
            "valueAttachment":\(attachment)}],"photo":[\(attachment),{"url":"http://example.org"}]}
            """
        let store = try Payloads.store()
        let patient = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        try store.write { _ = try $0.upsert(patient) }
        let fetched = try #require(try store.resource(Patient.self, id: "1"))
        #expect(!FHIRJSON.string(fetched).contains(data))
        #expect(try FHIRJSON.string(store.attachments.resolvingPayloads(in: fetched)) == json)
        #expect(try Payloads.count(store) == 1)
    }

    @Test func everyReleaseKeepsPayloadsApart() throws {
        let data = Payloads.bytes(6_000).fhirBase64
        for bundled in BundledRelease.all {
            let name = bundled.release.resourceLayout(named: "Binary")?.element(named: "data") == nil ? "content" : "data"
            let binary = #"{"resourceType":"Binary","id":"1","contentType":"a/b","\#(name)":"\#(data)"}"#
            let patient = #"{"resourceType":"Patient","id":"1","photo":[{"data":"\#(data)"}]}"#
            let store = try FHIRStore.inMemory(release: bundled.release)
            try store.attachments.externalizeNewPayloads()
            for json in [binary, patient] {
                let resource = try FHIRJSON.resource(from: Data(json.utf8), release: bundled.release)
                try store.write { _ = try $0.upsert(resource) }
                let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "1"))
                #expect(!FHIRJSON.string(fetched).contains(data), "\(bundled.release.name)")
                #expect(try FHIRJSON.string(store.attachments.resolvingPayloads(in: fetched)) == json, "\(bundled.release.name)")
            }
        }
    }

    @Test func exportsAreWhole() throws {
        let store = try Payloads.store()
        let folder = try TemporaryFolder()
        let document = Payloads.document("1", Payloads.bytes(50_000).fhirBase64)
        try store.write { _ = try $0.upsert(document) }
        try store.export(to: URL(fileURLWithPath: folder.file("out")))
        #expect(try folder.read("out/DocumentReference.ndjson") == FHIRJSON.string(document) + "\n")
    }

    @Test func aStoreWithoutTheModuleReadsReferencesAndRefusesToExport() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let data = Payloads.bytes(50_000).fhirBase64
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try store.attachments.externalizeNewPayloads()
            try store.write { _ = try $0.upsert(Payloads.document("1", data)) }
            try store.close()
        }
        let plain = try FHIRStore(path: path, release: .r4)
        let fetched = try #require(try plain.resource(DocumentReference.self, id: "1"))
        #expect(Data(fhirBase64: fetched.content[0].attachment?.data ?? "") == nil)
        #expect(throws: FHIRStoreError.self) { try plain.export(to: URL(fileURLWithPath: folder.file("out"))) }
        // It copies the reference, deletes the original, and the payload stays.
        let copy = fetched.copy()
        copy.id = "2"
        try plain.write { _ = try $0.upsert(copy) }
        try plain.close()
        let store = try FHIRStore(path: path, release: .r4)
        #expect(try store.attachments.resume())
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(try Payloads.whole(store, "2").content[0].attachment?.data == data)
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
        #expect(try Payloads.whole(store, "2").content[0].attachment?.data == data)
        try store.write { _ = try $0.delete(DocumentReference.self, id: "2") }
        #expect(try Payloads.count(store) == 0)
    }

    @Test func aReferenceToAnotherStoresPayloadIsRefused() throws {
        let (first, second) = (try Payloads.store(), try Payloads.store())
        try first.write { _ = try $0.upsert(Payloads.document("1", Payloads.bytes(5_000).fhirBase64)) }
        let fetched = try #require(try first.resource(DocumentReference.self, id: "1")).copy()
        #expect(throws: AttachmentError.self) { try second.write { _ = try $0.upsert(fetched) } }
        let whole = try first.attachments.resolvingPayloads(in: fetched).copy()
        try second.write { _ = try $0.upsert(whole) }
        #expect(try Payloads.count(second) == 1)
    }

    @Test func olderVersionsKeepTheirPayloads() throws {
        let store = try Payloads.store()
        try store.track(.history)
        let texts = [1, 2].map { Payloads.bytes(20_000, seed: $0).fhirBase64 }
        for text in texts { try store.write { _ = try $0.upsert(Payloads.document("1", text)) } }
        #expect(try Payloads.count(store) == 2)
        let old = try #require(try store.resource(DocumentReference.self, id: "1", version: 1))
        #expect(try store.attachments.resolvingPayloads(in: old).content[0].attachment?.data == texts[0])
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
        #expect(try store.attachments.resolvingPayloads(in: old).content[0].attachment?.data == texts[0])
    }

    @Test func payloadsMoveApartAndBackWithoutAChangeOfTheirResources() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        var expected: [String] = []
        for number in 0..<40 {
            let document = Payloads.document("\(number)", Payloads.bytes(number * 1_000, seed: UInt8(number)).fhirBase64)
            expected.append(FHIRJSON.string(document))
            try store.write { _ = try $0.upsert(document) }
        }
        let revisions = try store.sql("SELECT root, revision, updated FROM _resource").map(\.values)
        let (pks, text) = (try store.query(DocumentReference.self).all().map(\.pk), expected[20])
        #expect(try store.attachments.externalizePayloads() == 35)
        #expect(try store.attachments.externalizePayloads() == 0)
        #expect(try store.sql("SELECT root, revision, updated FROM _resource").map(\.values) == revisions)
        #expect(try store.check().isEmpty)
        #expect(try store.query(DocumentReference.self).all().map(\.pk) == pks)
        #expect(try FHIRJSON.string(Payloads.whole(store, "20")) == text)
        #expect(try Payloads.count(store) == 35)
        #expect(try store.attachments.inlinePayloads() == 35)
        #expect(try Payloads.count(store) == 0)
        #expect(try store.sql("SELECT root, revision, updated FROM _resource").map(\.values) == revisions)
        #expect(try store.query(DocumentReference.self).all().map { FHIRJSON.string($0) } == expected)
        #expect(try store.check().isEmpty)
    }
}

import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Stores that keep payloads of attachments apart send them whole.
@Suite struct PayloadSyncTests {
    private static func document(_ byte: UInt8, _ title: String = "letter") -> DocumentReference {
        DocumentReference {
            $0.id = "d"
            $0.status = .current
            $0.content = [
                DocumentReferenceContent {
                    $0.attachment = FireLiteR4.Attachment {
                        $0.title = title
                        $0.data = Data(repeating: byte, count: 9_000).base64EncodedString()
                    }
                }
            ]
        }
    }

    @Test(arguments: [false, true]) func payloadsAreSentWhole(sendsEachVersion: Bool) async throws {
        let server = ModelServer()
        let device = try Device(server, scope: .types("DocumentReference")) { $0.sendsEachVersion = sendsEachVersion }
        try device.store.blocking { try $0.attachments.externalizeNewPayloads() }
        try await device.sync()
        for byte in [1 as UInt8, 2] {
            try device.edit { try $0.upsert(Self.document(byte)) }
            try await device.sync(.push)
            let text = try #require(server.contents["DocumentReference/d"])
            #expect(!text.contains("blob:") && text.contains(Data(repeating: byte, count: 9_000).base64EncodedString()))
        }
        // Several versions of it wait, and a smaller change.
        try device.edit { try $0.upsert(Self.document(3)) }
        try device.edit { try $0.upsert(Self.document(4)) }
        try device.edit { try $0.upsert(Self.document(4, "changed")) }
        let result = try await device.sync()
        #expect(result.pushed == (sendsEachVersion ? 3 : 1) && result.parked == 0 && result.resolved + result.deferred == 0)
        #expect(server.history.values.joined().allSatisfy { $0.json?.contains("blob:") == false })
        #expect(server.contents["DocumentReference/d"] == ModelServer.plain(FHIRJSON.string(Self.document(4, "changed"))))
        // Nothing is left to send or pull.
        let again = try await device.sync()
        #expect(again.pushed + again.pulled == 0)
    }

    /// Changes of both sides to other elements than the payload are merged by the whole contents.
    @Test func disjointChangesAroundAPayloadAreMerged() async throws {
        let server = ModelServer()
        let device = try Device(server, scope: .types("DocumentReference")) { $0.conflicts = .merge() }
        try device.store.blocking { try $0.attachments.externalizeNewPayloads() }
        try device.edit { try $0.upsert(Self.document(1)) }
        try await device.sync()
        let remote = Self.document(1)
        remote.description = "remote"
        server.put(remote)
        try device.edit { try $0.resource(DocumentReference.self, id: "d")?.docStatus = .final }
        let result = try await device.sync()
        #expect(result.deferred == 0 && result.resolved == 1 && result.updated == 1)
        let text = try #require(server.contents["DocumentReference/d"])
        #expect(text.contains("remote") && text.contains("docStatus") && !text.contains("blob:"))
    }

    /// A program that cannot read the payloads sends nothing instead of references.
    @Test func withoutTheKeeperNothingIsSent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let server = ModelServer()
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try store.blocking { try $0.attachments.externalizeNewPayloads() }
            try await store.write { tx in _ = try tx.upsert(Self.document(1)) }
        }
        let device = try Device(server, store: FHIRStore(path: path, release: .r4), scope: .nothing)
        let error = await #expect(throws: FHIRStoreError.self) { try await device.sync(.push) }
        #expect(error?.code == .invalidArgument && server.writes.isEmpty)
        try device.store.blocking { _ = try $0.attachments.resume() }
        #expect(try await device.sync(.push).created == 1)
        #expect(server.contents["DocumentReference/d"] == ModelServer.plain(FHIRJSON.string(Self.document(1))))
    }
}

import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Whether the package was built with the trait SQLCipher.
private enum EncryptedLibrary {
    static let isThere: Bool = {
        do { return try FireLiteBuild.library.hasPrefix("SQLCipher") } catch { return false }
    }()
}

/// The tables of the outbox and of the synchronizer are encrypted with the store and follow it to another key. Part of `make test-sqlcipher`.
@Suite(.enabled(if: EncryptedLibrary.isThere, "needs the package's trait SQLCipher"))
struct EncryptedSyncTests {
    private static let old = Secret(1...32)
    private static let new = Secret(101...132)
    /// A text that is in the records of these tests and nowhere else.
    private static let marker = "a-marker-that-is-nowhere-else"

    private static func open(_ path: String, _ key: Secret) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.key = key
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    @Test func whatWaitsFollowsTheStoreToAnotherKey() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let server = ModelServer()
        server.put(samplePatient("there", Self.marker))
        server.behavior.refuses = { ($0 as? Patient)?.id == "refused" ? 422 : nil }
        let outboxServer = OutboxServerStub()
        do {
            let store = try Self.open(path, Self.old)
            let device = try Device(server, store: store)
            try await device.sync()
            try device.edit { tx in
                for id in ["refused", "waits"] { try tx.upsert(samplePatient(id, Self.marker)) }
            }
            let outbox = try outbox(outboxServer, store: store)
            try await outbox.enqueue(.create(samplePatient("queued", Self.marker)))
            #expect(try await device.sync(.push).parked == 1)
            try device.edit { try $0.upsert(samplePatient("waits", Self.marker + "-changed")) }
            try await store.rekey(to: Self.new)
            try device.edit { try $0.upsert(samplePatient("later", Self.marker)) }
            #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["later", "refused", "waits"])
            try store.blocking { try $0.close() }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names {
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: Data(Self.marker.utf8)) == nil, "\(name)")
        }
        #expect(throws: FHIRStoreError.self) { try Self.open(path, Self.old) }
        let store = try Self.open(path, Self.new)
        server.behavior.refuses = { _ in nil }
        let device = try Device(server, store: store)
        #expect(try await device.synchronizer.retry("Patient", id: "refused"))
        let result = try await device.sync()
        #expect(result.pulled == 0 && result.created == 2 && result.updated == 1)
        #expect(try device.contents() == server.contents)
        #expect(try await outbox(outboxServer, store: store).flush().ending == "done" && outboxServer.resources.count == 1)
        #expect(try store.blocking { try $0.check() }.isEmpty)
    }
}

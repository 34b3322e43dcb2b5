import FireLiteReleases
import FireLiteService
import FireLiteTrust
import Foundation
import Testing

/// Files that have an audit trail.
@Suite(.serialized) struct AuditedFileTests {
    /// A file with a trail, whose key is in `me.pem` beside it.
    private func file(_ folder: TestFolder) throws -> String {
        let path = folder.file("a.sqlite")
        let store = try FHIRStore(path: path, release: try #require(FHIRRelease.bundled("R4")))
        let key = try FileKeyStore(folder: folder.url).makeKey(named: "me")
        try store.startAudit(by: SigningIdentity(id: "Device/7", key: key))
        try store.close()
        return path
    }

    /// The number of rows of the trail.
    private func rows(_ path: String) throws -> Int64 {
        let store = try FHIRStore(path: path, release: try #require(FHIRRelease.bundled("R4")))
        defer { try? store.close() }
        return try #require(try store.read { try $0.lastAuditHead() }).size
    }

    private func put(_ server: ServerProcess) async throws -> Int {
        try await server.send(.put, "/Patient/a", body: #"{"resourceType":"Patient","id":"a"}"#).status
    }

    @Test func aFileWithATrailIsNotChangedWithoutIt() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let path = try file(folder)
        #expect(throws: POSIXError.self) { try ServerProcess(path) }
        let unaudited = try ServerProcess(path, ["--unaudited"])
        #expect(try await put(unaudited) == 201)
        unaudited.end(SIGTERM)
        #expect(try rows(path) == 0)
        let reading = try ServerProcess(path, ["--read-only"])
        #expect(try await reading.send(.get, "/Patient/a").status == 200)
        reading.end(SIGTERM)
    }

    @Test func aTrailIsContinuedWithItsKey() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let path = try file(folder)
        let server = try ServerProcess(path, ["--signing-key", folder.file("me.pem"), "--signer", "Device/7"])
        #expect(try await put(server) == 201)
        #expect(try await server.send(.get, "/Patient/a").status == 200)
        server.end(SIGTERM)
        #expect(try rows(path) == 2)
        #expect(throws: POSIXError.self) { try ServerProcess(path, ["--signing-key", folder.file("no.pem"), "--signer", "Device/7"]) }
    }
}

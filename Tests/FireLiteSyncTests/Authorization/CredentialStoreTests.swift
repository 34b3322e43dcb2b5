import FireLiteSync
import Foundation
import TestSupport
import Testing

@Suite struct CredentialStoreTests {
    @Test func credentialsAreKeptReplacedAndRemoved() async throws {
        let folder = try TemporaryFolder()
        for store in [MemoryCredentialStore(), FileCredentialStore(URL(fileURLWithPath: folder.file("c.json")))] as [any CredentialStore] {
            #expect(try await store.credential(named: "a") == nil)
            try await store.setCredential(Secret([1]), named: "a")
            try await store.setCredential(Secret([2]), named: "b")
            try await store.setCredential(Secret([3]), named: "a")
            #expect(try await store.credential(named: "a") == Secret([3]))
            try await store.setCredential(nil, named: "a")
            #expect(try await store.credential(named: "a") == nil)
            #expect(try await store.credential(named: "b") == Secret([2]))
        }
        let again = FileCredentialStore(URL(fileURLWithPath: folder.file("c.json")))
        #expect(try await again.credential(named: "b") == Secret([2]))
        #expect(try folder.names == ["c.json"])
    }

    @Test func onlyTheOwnerCanReadTheFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("c.json")
        let store = FileCredentialStore(URL(fileURLWithPath: path))
        try await store.setCredential(Secret([1]), named: "a")
        func mode() throws -> Int { try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) }
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let error = await #expect(throws: AuthorizationError.self) { try await store.credential(named: "a") }
        #expect(error?.code == .storage)
    }

    @Test func aFileThatIsNoneIsLeftAsItIs() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("c.json", "notes")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        await #expect(throws: AuthorizationError.self) {
            try await FileCredentialStore(URL(fileURLWithPath: path)).setCredential("", named: "a")
        }
        #expect(try folder.read("c.json") == "notes")
        await #expect(throws: AuthorizationError.self) {
            try await FileCredentialStore(URL(fileURLWithPath: folder.file("missing/c.json"))).setCredential("", named: "a")
        }
    }
}

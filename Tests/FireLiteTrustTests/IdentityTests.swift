import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

@Suite struct IdentityTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func identitiesAreKeptWithTheirKeys() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let before = try store.read { try $0.identities() }
        #expect(before.isEmpty)
        let key = try PrivateKey()
        var identity = Identity(
            name: "Phone", reference: "Device/1", authority: .everything, keys: [.init(key.publicKey, from: start)])
        try store.write { try $0.setIdentity(identity) }
        let found = try store.read { tx in [try tx.identity(identity.id), try tx.identity(withKey: key.publicKey.id)] }
        #expect(found == [identity, identity])
        identity.authority = .compartment("Patient/1")
        identity.name = nil
        try store.write { try $0.setIdentity(identity) }
        let after = try store.read { try $0.identities() }
        #expect(after == [identity])
        #expect(identity.id.utf8.count == 36)
        let thief = Identity(keys: identity.keys)
        expect(.invalidArgument) { try store.write { try $0.setIdentity(thief) } }
        #expect(try store.check().isEmpty)
    }

    @Test func rotatedKeysStillVerifyWhatTheySigned() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let (old, new) = (try PrivateKey(), try PrivateKey())
        let identity = Identity(keys: [.init(old.publicKey, from: start)])
        let rotation = start.addingTimeInterval(100)
        try store.write {
            try $0.setIdentity(identity)
            try $0.rotateKey(ofIdentity: identity.id, to: new.publicKey, at: rotation)
        }
        let signatures = (try JWS(signing: Data("x".utf8), with: old), try JWS(signing: Data("x".utf8), with: new))
        try store.read { tx in
            let signers = [try tx.verify(signatures.0, at: rotation.addingTimeInterval(-1)), try tx.verify(signatures.1, at: rotation)]
            #expect(signers.map(\.id) == [identity.id, identity.id])
            expect(.keyNotValid) { _ = try tx.verify(signatures.0, at: rotation) }
            expect(.keyNotValid) { _ = try tx.verify(signatures.1, at: start) }
            expect(.unknown) { _ = try tx.verify(JWS(signing: Data(), with: PrivateKey())) }
        }
        try store.write { try $0.revokeKey(new.publicKey.id, at: rotation.addingTimeInterval(5)) }
        expect(.keyNotValid) { _ = try store.read { try $0.verify(signatures.1, at: rotation.addingTimeInterval(5)) } }
        // A period that has ended is not made longer.
        try store.write { try $0.revokeKey(new.publicKey.id, at: rotation.addingTimeInterval(50)) }
        expect(.keyNotValid) { _ = try store.read { try $0.verify(signatures.1, at: rotation.addingTimeInterval(5)) } }
        expect(.invalidArgument) { try store.write { try $0.rotateKey(ofIdentity: identity.id, to: old.publicKey) } }
    }

    @Test func keyFilesAreForTheirOwnerAlone() throws {
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(folder: URL(fileURLWithPath: folder.path + "/keys"))
        #expect(try keys.key(named: "phone") == nil)
        let made = try keys.makeKey(named: "phone")
        #expect(try keys.key(named: "phone")?.publicKey == made.publicKey)
        expect(.key) { _ = try keys.makeKey(named: "phone") }
        expect(.invalidArgument) { _ = try keys.key(named: "../phone") }
        let path = folder.path + "/keys/phone.pem"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        expect(.key) { _ = try keys.key(named: "phone") }
        try keys.removeKey(named: "phone")
        #expect(try keys.key(named: "phone") == nil)
    }
}

import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// The examples of the page on identities.
@Suite struct IdentitiesExamples {
    @Test func identities() throws {
        let temporary = try TemporaryFolder()
        let folder = URL(fileURLWithPath: temporary.file("keys"))
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = Patient { $0.id = "1" }
        // example Identities.md
        let keys = FileKeyStore(folder: folder)
        let key = try keys.key(named: "phone") ?? keys.makeKey(named: "phone")
        let phone = Identity(name: "My phone", authority: .everything, keys: [.init(key.publicKey, from: Date())])
        try store.write { tx in try tx.setIdentity(phone) }
        // end
        // example Identities.md
        let signer = SigningIdentity(id: phone.id, key: key)
        let signature = try signer.sign(Data("content".utf8))
        let identity = try store.read { tx in try tx.verify(JWS(signature.text())) }
        // end
        #expect(identity.id == phone.id)
        // example Identities.md
        let token = try signer.clientAssertion(for: "https://example.org/token")
        let claims = try store.write { tx in
            try tx.redeemToken(token, expecting: TokenExpectation(audience: "https://example.org/token"))
        }
        // end
        #expect(claims.issuer == phone.id)
        // example Identities.md
        try store.write { tx in
            let patient = try tx.upsert(patient)
            try tx.sign(patient, by: signer)
        }
        // end
        let stored = try store.resource(Patient.self, id: "1")
        let signatures = try store.read { tx in try stored.map { try tx.validSignatures(of: $0) } ?? [] }
        #expect(signatures.map(\.signer) == [phone.id])
    }
}

import FireLiteCrypto
import Testing

@Suite struct KeyExamples {
    @Test func aKeyIsStoredAndReadAgain() throws {
        // example FireLiteCrypto.md
        let key = try PrivateKey()
        let stored = try key.pem()
        let same = try PrivateKey(pem: stored)
        let text = same.publicKey.pem
        // end
        #expect(same.publicKey == key.publicKey && text == key.publicKey.pem)
    }
}

import FireLiteCore
import Foundation
import Testing

@testable import FireLiteCrypto

@Suite struct CryptoTests {
    private static let message = Data(Vectors.message.utf8)

    private func base64(_ text: String) throws -> Data { try #require(Data(base64Encoded: text)) }

    // MARK: - Signatures

    @Test func signaturesOfAnotherLibraryAreValid() throws {
        if Half.isComplete {
            let rsa = try PrivateKey(pem: Secret(Vectors.rsaKey)).publicKey
            #expect(rsa.isValid(signature: try base64(Vectors.rs256), of: Self.message, algorithm: .rs256))
            #expect(rsa.isValid(signature: try base64(Vectors.rs384), of: Self.message, algorithm: .rs384))
            #expect(!rsa.isValid(signature: try base64(Vectors.rs384), of: Self.message, algorithm: .rs256))
        }
        let p256 = try PrivateKey(pem: Secret(Vectors.p256Key)).publicKey
        #expect(p256.isValid(derSignature: try base64(Vectors.es256), of: Self.message, algorithm: .es256))
        #expect(!p256.isValid(derSignature: try base64(Vectors.es256), of: Self.message + [0], algorithm: .es256))
        #expect(!p256.isValid(signature: try base64(Vectors.es256), of: Self.message, algorithm: .es256))
        let p384 = try PrivateKey(pem: Secret(Vectors.p384Key)).publicKey
        #expect(p384.isValid(derSignature: try base64(Vectors.es384), of: Self.message, algorithm: .es384))
    }

    @Test(arguments: Half.algorithms)
    func aSignatureIsValidForItsMessageAndKeyOnly(_ algorithm: SignatureAlgorithm, _ kind: KeyKind, _ length: Int) throws {
        let key = try PrivateKey(kind)
        #expect(key.kind == kind && key.publicKey.kind == kind)
        var signature = try key.signature(of: Self.message, algorithm: algorithm)
        #expect(signature.count == length)
        #expect(key.publicKey.isValid(signature: signature, of: Self.message, algorithm: algorithm))
        #expect(!key.publicKey.isValid(signature: signature, of: Self.message + [0], algorithm: algorithm))
        #expect(!(try PrivateKey(kind).publicKey.isValid(signature: signature, of: Self.message, algorithm: algorithm)))
        signature[signature.count / 2] ^= 1
        #expect(!key.publicKey.isValid(signature: signature, of: Self.message, algorithm: algorithm))
        for other in SignatureAlgorithm.allCases where !other.suits(kind) {
            #expect(throws: CryptoError.self) { try key.signature(of: Self.message, algorithm: other) }
        }
    }

    // MARK: - Keys

    @Test func aKeyIsTheSameInEveryForm() throws {
        for pem in [Vectors.p256Key, Vectors.p384Key] + (Half.isComplete ? [Vectors.rsaKey] : []) {
            let key = try PrivateKey(pem: Secret(pem))
            #expect(try PrivateKey(der: key.der()).publicKey == key.publicKey)
            #expect(try PrivateKey(pem: key.pem()).publicKey == key.publicKey)
            #expect(try PublicKey(der: key.publicKey.der) == key.publicKey)
            #expect(try PublicKey(pem: key.publicKey.pem) == key.publicKey)
            #expect(try JSONWebKey(key.publicKey).publicKey() == key.publicKey)
        }
        #expect(try PrivateKey(pem: Secret(Vectors.p256OldKey)).publicKey == PrivateKey(pem: Secret(Vectors.p256Key)).publicKey)
    }

    @Test(.enabled(if: Half.isComplete)) func rsaKeysAndCertificatesAreRead() throws {
        #expect(try PrivateKey(pem: Secret(Vectors.rsaOldKey)).publicKey == PrivateKey(pem: Secret(Vectors.rsaKey)).publicKey)
        #expect(try PublicKey(certificate: Data(Vectors.rsaCertificate.utf8)) == PrivateKey(pem: Secret(Vectors.rsaKey)).publicKey)
        #expect(try PublicKey(pem: Vectors.p384Certificate) == PrivateKey(pem: Secret(Vectors.p384Key)).publicKey)
        let base64 = Vectors.rsaCertificate.split(separator: "\n").dropFirst().dropLast().joined()
        #expect(try PublicKey(certificate: try self.base64(base64)) == PrivateKey(pem: Secret(Vectors.rsaKey)).publicKey)
    }

    @Test(.enabled(if: Half.isComplete)) func unsuitableKeysAreRefused() throws {
        func code(_ body: () throws -> Any) -> CryptoError.Code? {
            do { _ = try body() } catch let error as CryptoError { return error.code } catch {}
            return nil
        }
        #expect(code { try PublicKey(pem: Vectors.smallKey) } == .unsuitableKey)
        #expect(code { try PublicKey(pem: Vectors.otherCurve) } == .unsuitableKey)
        #expect(code { try PublicKey(pem: "no key") } == .invalidKey)
        #expect(code { try PublicKey(der: Data([0x30, 0x03, 1, 2, 3])) } == .invalidKey)
        #expect(code { try PublicKey(certificate: Data("no certificate".utf8)) } == .invalidKey)
        #expect(code { try PublicKey(der: PrivateKey(pem: Secret(Vectors.p256Key)).publicKey.der + [0]) } == .invalidKey)
        #expect(code { try PrivateKey(der: Data()) } == .invalidKey)
        #expect(code { try PrivateKey(.rsa(bits: 1024)) } == .unsuitableKey)
        let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
        #expect(code { try PrivateKey(pem: Secret(encrypted)) } == .unsuitableKey)
        #expect(code { try PrivateKey(pem: Secret(Vectors.p256Key)).decrypt(Data(count: 256), hash: .sha256) } == .unsuitableKey)
        #expect(code { try PrivateKey(pem: Secret(Vectors.p256Key)).publicKey.encrypt(Data(), hash: .sha256) } == .unsuitableKey)
    }

    @Test func aPrivateKeyWithAnotherPublicKeyIsRefused() throws {
        let one = try JSONDecoder().decode(JSONWebKey.self, from: JSONEncoder().encode(try JSONWebKey(PrivateKey(.p256).publicKey)))
        var mixed = one
        mixed.d = Data(repeating: 7, count: 32).base64URL
        let json = Secret(try JSONEncoder().encode(mixed))
        #expect(throws: CryptoError.self) { try PrivateKey(jwk: json) }
    }

    // MARK: - Encryption

    @Test(.enabled(if: Half.isComplete)) func whatAnotherLibraryEncryptedIsDecrypted() throws {
        let key = try PrivateKey(pem: Secret(Vectors.rsaKey))
        #expect(try key.decrypt(base64(Vectors.oaep1), hash: .sha1).withBytes { Data($0) } == Self.message)
        #expect(try key.decrypt(base64(Vectors.oaep256), hash: .sha256).withBytes { Data($0) } == Self.message)
        #expect(throws: CryptoError.self) { try key.decrypt(base64(Vectors.oaep256), hash: .sha1) }
        #expect(throws: CryptoError.self) { try key.publicKey.encrypt(Data(count: 191), hash: .sha256) }
        #expect(try key.decrypt(key.publicKey.encrypt(Data(count: 190), hash: .sha256), hash: .sha256).count == 190)
    }

    /// The vector of the old DataQueue.
    @Test(.enabled(if: Half.isComplete)) func theOldCipherHasItsOldResult() throws {
        let key = SecretData(Data("why-is-this-here".utf8))
        let ciphertext = try LegacyAESCBC.encrypt(Data("Let's encrypt!".utf8), key: key, vector: Data(count: 16))
        #expect(ciphertext.base64EncodedString() == "Iy8Mbj2ye1fI0yUWvyzwWw==")
        #expect(try LegacyAESCBC.decrypt(ciphertext, key: key, vector: Data(count: 16)) == Data("Let's encrypt!".utf8))
        #expect(throws: CryptoError.self) { try LegacyAESCBC.decrypt(ciphertext + [0], key: key, vector: Data(count: 16)) }
        #expect(throws: CryptoError.self) {
            try LegacyAESCBC.decrypt(ciphertext, key: SecretData(Data(count: 32)), vector: Data(count: 16))
        }
    }

    @Test func aChangedCiphertextIsNotOpened() throws {
        let key = try SecretData.random(count: 32)
        let nonce = try RandomBytes.make(12)
        for count in [0, 1, 15, 16, 17, 100_000] {
            let message = try RandomBytes.make(count)
            let sealed = try AESGCM.seal(message, key: key, nonce: nonce, authenticating: Self.message)
            #expect(sealed.ciphertext.count == count && sealed.tag.count == 16)
            func open(_ ciphertext: Data, _ tag: Data, _ context: Data) -> Data? {
                try? AESGCM.open(ciphertext, tag: tag, key: key, nonce: nonce, authenticating: context)
            }
            #expect(open(sealed.ciphertext, sealed.tag, Self.message) == message)
            #expect(open(sealed.ciphertext + [0], sealed.tag, Self.message) == nil)
            #expect(open(sealed.ciphertext, Data(sealed.tag.dropLast()), Self.message) == nil)
            #expect(open(sealed.ciphertext, Data(sealed.tag.reversed()), Self.message) == nil)
            #expect(open(sealed.ciphertext, sealed.tag, Data()) == nil)
        }
    }

    // MARK: - Hashes, random bytes, secrets

    @Test func digestsOfTheStandardsExamples() {
        let abc = Data("abc".utf8)
        #expect(HashAlgorithm.sha1.digest(of: abc).hex == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(HashAlgorithm.sha256.digest(of: abc).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            HashAlgorithm.sha384.digest(of: abc).hex
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        #expect(
            HashAlgorithm.sha512.digest(of: abc).hex
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
        #expect(HashAlgorithm.sha256.digest(of: Data()).hex.hasPrefix("e3b0c44298fc1c149afbf4c8996fb924"))
    }

    /// RFC 4231, case 2; an empty key and an empty message.
    @Test func authenticationCodesOfTheStandardsExamples() {
        let key = SecretData(Data("Jefe".utf8))
        let code = HashAlgorithm.sha256.authenticationCode(of: Data("what do ya want for nothing?".utf8), key: key)
        #expect(code.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HashAlgorithm.sha256.isValid(authenticationCode: code, of: Data("what do ya want for nothing?".utf8), key: key))
        #expect(!HashAlgorithm.sha256.isValid(authenticationCode: code, of: Data("what do ya want".utf8), key: key))
        let empty = HashAlgorithm.sha256.authenticationCode(of: Data(), key: SecretData(Data()))
        #expect(empty.hex == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func derivedKeysAreLimited() throws {
        let secret = SecretData(Data("secret".utf8))
        #expect(try HashAlgorithm.sha256.derivedKey(from: secret, salt: Data(), info: Data(), byteCount: 255 * 32).count == 8160)
        #expect(throws: CryptoError.self) {
            try HashAlgorithm.sha256.derivedKey(from: secret, salt: Data(), info: Data(), byteCount: 255 * 32 + 1)
        }
    }

    @Test func comparisonsAreOfWholeContents() {
        #expect(ConstantTime.areEqual(Data(), Data()))
        #expect(ConstantTime.areEqual(Data([1, 2]), Data([0, 1, 2]).dropFirst()))
        #expect(!ConstantTime.areEqual(Data([1, 2]), Data([1, 3])))
        #expect(!ConstantTime.areEqual(Data([1, 2]), Data([1, 2, 3])))
    }

    @Test func randomBytesDiffer() throws {
        let values = try (0..<1000).map { _ in try RandomBytes.make(16) }
        #expect(Set(values).count == 1000)
        #expect(try RandomBytes.make(0).isEmpty)
    }

    @Test func wipedMemoryIsZero() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xAB)
        SecretData.wipe(memory)
        #expect(memory.allSatisfy { $0 == 0 })
    }

    @Test func descriptionsHideSecrets() throws {
        let secret = SecretData(Data("hunter2".utf8))
        #expect("\(secret)" == "secret of 7 bytes")
        var text = ""
        dump(secret, to: &text)
        dump(try PrivateKey(pem: Secret(Vectors.p256Key)), to: &text)
        #expect(!text.contains("104") && !text.contains("hunter2"))
        let key = try PrivateKey(pem: Secret(Vectors.p256Key))
        #expect("\(key)" == "private key \(key.publicKey.id), P-256")
    }

    @Test func base64URLHasOneForm() throws {
        #expect(Data([0xFB, 0xFF]).base64URL == "-_8")
        #expect(Data(base64URL: "-_8") == Data([0xFB, 0xFF]))
        for wrong in ["-_9", "-_8=", "+/8", "A", "AA ", "ä"] { #expect(Data(base64URL: wrong) == nil, "\(wrong)") }
        #expect(Data(base64URL: "")?.isEmpty == true)
    }
}

/// One key type for every purpose.
@Suite struct PrivateKeyTests {
    @Test(arguments: [KeyKind.p256, .p384]) func aKeyIsNamedByItsThumbprintUnlessGivenAnID(_ kind: KeyKind) throws {
        let key = try PrivateKey(kind)
        #expect(key.id == key.publicKey.id && key.algorithm == key.publicKey.algorithm && key.kind == kind)
        let again = try PrivateKey(pem: key.pem(), id: "server-1")
        #expect(again.id == "server-1" && again.publicKey == key.publicKey && again.publicKey.id == key.id)
        #expect(try PublicKey(jwk: key.publicKey.jwk) == key.publicKey && PublicKey(pem: key.publicKey.pem) == key.publicKey)
    }

    @Test func anAlgorithmOfAnotherKindIsRefused() throws {
        for algorithm in SignatureAlgorithm.allCases where !algorithm.suits(.p256) {
            let error = #expect(throws: CryptoError.self) { try PrivateKey(.p256, algorithm: algorithm) }
            #expect(error?.code == .unsuitableKey)
        }
    }

    @Test func theIDOfAJSONWebKeyIsItsKidUnlessAnotherIsGiven() throws {
        let json =
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI","kid":"k"}"#
        let key = try PrivateKey(jwk: Secret(json))
        #expect(key.id == "k" && key.publicKey.id != "k")
        #expect(try PrivateKey(jwk: Secret(json), id: "other").id == "other")
        let nameless = json.replacingOccurrences(of: #","kid":"k""#, with: "")
        #expect(try PrivateKey(jwk: Secret(nameless)).id == key.publicKey.id)
        #expect(throws: CryptoError.self) { try PrivateKey(jwk: "{}") }
    }
}

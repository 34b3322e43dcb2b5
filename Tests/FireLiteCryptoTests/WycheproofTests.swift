import FireLiteCore
import FireLiteCrypto
import Foundation
import Testing

/// Every vector of Wycheproof for what the module offers, valid and invalid. The counts show that none is skipped unnoticed.
@Suite(.enabled(if: Wycheproof.isInstalled, Comment(rawValue: Wycheproof.reason)))
struct WycheproofTests {
    /// How many vectors were as they should be.
    private struct Tally: Equatable {
        var valid = 0
        var invalid = 0
        var skipped = 0

        mutating func count(_ result: Wycheproof.Result, _ isAccepted: Bool, _ id: Int) {
            switch result {
            case .valid:
                #expect(isAccepted, "vector \(id) is valid")
                valid += 1
            case .invalid:
                #expect(!isAccepted, "vector \(id) is invalid")
                invalid += 1
            case .acceptable: skipped += 1
            }
        }
    }

    @Test func aesGCM() throws {
        struct Group: Decodable {
            struct Test: Decodable {
                let tcId: Int
                let key, iv, aad, msg, ct, tag: Wycheproof.Hex
                let result: Wycheproof.Result
            }
            let ivSize: Int
            let tests: [Test]
        }
        var tally = Tally()
        for group in try Wycheproof.groups(Group.self, in: "aes_gcm_test.json") {
            for test in group.tests {
                guard group.ivSize == 96 else {
                    #expect(throws: CryptoError.self) {
                        try AESGCM.open(test.ct.data, tag: test.tag.data, key: SecretData(test.key.data), nonce: test.iv.data)
                    }
                    tally.skipped += 1
                    continue
                }
                let key = SecretData(test.key.data)
                let opened = try? AESGCM.open(
                    test.ct.data, tag: test.tag.data, key: key, nonce: test.iv.data, authenticating: test.aad.data)
                tally.count(test.result, opened == test.msg.data, test.tcId)
                if test.result == .valid {
                    let sealed = try AESGCM.seal(test.msg.data, key: key, nonce: test.iv.data, authenticating: test.aad.data)
                    #expect(sealed.ciphertext == test.ct.data && sealed.tag == test.tag.data, "vector \(test.tcId)")
                }
            }
        }
        print("Wycheproof AES-GCM: \(tally)")
        #expect(tally.valid + tally.invalid + tally.skipped == 316)
        #expect(tally.valid > 100 && tally.invalid > 50)
    }

    private struct Signatures: Decodable {
        struct Test: Decodable {
            let tcId: Int
            let msg, sig: Wycheproof.Hex
            let result: Wycheproof.Result
        }
        let publicKeyDer: Wycheproof.Hex
        let publicKeyPem: String
        let tests: [Test]
    }

    private func verify(
        _ file: String, _ algorithm: SignatureAlgorithm, _ isValid: (PublicKey, _ signature: Data, _ message: Data) -> Bool
    ) throws -> Tally {
        var tally = Tally()
        for group in try Wycheproof.groups(Signatures.self, in: file) {
            let key = try PublicKey(der: group.publicKeyDer.data)
            #expect(try PublicKey(pem: group.publicKeyPem) == key)
            for test in group.tests { tally.count(test.result, isValid(key, test.sig.data, test.msg.data), test.tcId) }
        }
        print("Wycheproof \(file): \(tally)")
        return tally
    }

    @Test func ecdsaWithJoinedSignatures() throws {
        let tally = try verify("ecdsa_secp256r1_sha256_p1363_test.json", .es256) {
            $0.isValid(signature: $1, of: $2, algorithm: .es256)
        }
        #expect(tally == Tally(valid: 173, invalid: 89))
    }

    @Test func ecdsaWithSignaturesInDER() throws {
        let tally = try verify("ecdsa_secp256r1_sha256_test.json", .es256) {
            $0.isValid(derSignature: $1, of: $2, algorithm: .es256)
        }
        #expect(tally == Tally(valid: 174, invalid: 310))
    }

    @Test(.enabled(if: Half.isComplete)) func rsaSignatures() throws {
        let tally = try verify("rsa_signature_2048_sha384_test.json", .rs384) {
            $0.isValid(signature: $1, of: $2, algorithm: .rs384)
        }
        #expect(tally == Tally(valid: 7, invalid: 250, skipped: 1))
    }

    @Test func hkdf() throws {
        struct Group: Decodable {
            struct Test: Decodable {
                let tcId, size: Int
                let ikm, salt, info, okm: Wycheproof.Hex
                let result: Wycheproof.Result
            }
            let tests: [Test]
        }
        var tally = Tally()
        for group in try Wycheproof.groups(Group.self, in: "hkdf_sha256_test.json") {
            for test in group.tests {
                let key = try? HashAlgorithm.sha256.derivedKey(
                    from: SecretData(test.ikm.data), salt: test.salt.data, info: test.info.data, byteCount: test.size)
                tally.count(test.result, key?.withBytes { Data($0) } == test.okm.data, test.tcId)
            }
        }
        #expect(tally == Tally(valid: 83, invalid: 3))
    }

    @Test func hmac() throws {
        struct Group: Decodable {
            struct Test: Decodable {
                let tcId: Int
                let key, msg, tag: Wycheproof.Hex
                let result: Wycheproof.Result
            }
            let tagSize: Int
            let tests: [Test]
        }
        var tally = Tally()
        for group in try Wycheproof.groups(Group.self, in: "hmac_sha256_test.json") {
            for test in group.tests {
                let code = HashAlgorithm.sha256.authenticationCode(of: test.msg.data, key: SecretData(test.key.data))
                tally.count(test.result, ConstantTime.areEqual(code.prefix(group.tagSize / 8), test.tag.data), test.tcId)
            }
        }
        #expect(tally == Tally(valid: 66, invalid: 108))
    }

    private func decrypt(_ file: String, _ hash: HashAlgorithm) throws -> Tally {
        struct Group: Decodable {
            struct Test: Decodable {
                let tcId: Int
                let msg, ct, label: Wycheproof.Hex
                let result: Wycheproof.Result
            }
            let privateKeyPkcs8: Wycheproof.Hex
            let privateKeyPem: String
            let privateKeyJwk: JSONWebKey
            let tests: [Test]
        }
        var tally = Tally()
        for group in try Wycheproof.groups(Group.self, in: file) {
            let key = try PrivateKey(der: group.privateKeyPkcs8.data)
            #expect(try PrivateKey(pem: Secret(group.privateKeyPem)).publicKey == key.publicKey)
            #expect(try PrivateKey(jwk: Secret(JSONEncoder().encode(group.privateKeyJwk))).publicKey == key.publicKey)
            #expect(try group.privateKeyJwk.publicKey() == key.publicKey)
            for test in group.tests {
                // Labels are not offered.
                guard test.label.data.isEmpty else { tally.skipped += 1; continue }
                let message = try? key.decrypt(test.ct.data, hash: hash).withBytes { Data($0) }
                tally.count(test.result, message == test.msg.data, test.tcId)
                if test.result == .valid {
                    let again = try key.decrypt(key.publicKey.encrypt(test.msg.data, hash: hash), hash: hash)
                    #expect(again.withBytes { Data($0) } == test.msg.data)
                }
            }
        }
        print("Wycheproof \(file): \(tally)")
        return tally
    }

    @Test(.enabled(if: Half.isComplete)) func rsaOAEP() throws {
        let old = try decrypt("rsa_oaep_2048_sha1_mgf1sha1_test.json", .sha1)
        #expect(old.valid + old.invalid + old.skipped == 36 && old.invalid >= 15 && old.valid >= 10)
        let new = try decrypt("rsa_oaep_2048_sha256_mgf1sha256_test.json", .sha256)
        #expect(new.valid + new.invalid + new.skipped == 37 && new.invalid >= 15 && new.valid >= 10)
    }

    /// The signatures of JWS (RFC 7515) with an algorithm that is offered: the header must name the key's.
    @Test(.enabled(if: Half.isComplete)) func jsonWebSignatures() throws {
        struct Group: Decodable {
            struct Test: Decodable {
                let tcId: Int
                let jws: String
                let result: Wycheproof.Result
            }
            let `public`: JSONWebKey?
            let tests: [Test]
        }
        struct Header: Decodable { let alg: String }
        var tally = Tally()
        for group in try Wycheproof.groups(Group.self, in: "json_web_signature_test.json") {
            guard let members = group.public, let algorithm = members.alg.flatMap(SignatureAlgorithm.init) else { continue }
            let key = try members.publicKey()
            for test in group.tests {
                let parts = test.jws.split(separator: ".", omittingEmptySubsequences: false)
                let header = (parts.first.flatMap { Data(base64URL: $0) }).flatMap { try? JSONDecoder().decode(Header.self, from: $0) }
                let signature = parts.count == 3 ? Data(base64URL: parts[2]) : nil
                let isAccepted =
                    header?.alg == algorithm.rawValue
                    && signature.map {
                        key.isValid(signature: $0, of: Data("\(parts[0]).\(parts[1])".utf8), algorithm: algorithm)
                    } == true
                tally.count(test.result, isAccepted, test.tcId)
            }
        }
        print("Wycheproof JWS: \(tally)")
        #expect(tally.valid >= 13 && tally.invalid >= 240)
    }
}

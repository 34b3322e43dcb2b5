import FireLiteCrypto
import FireLiteLegacy
import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

@Suite struct EnvelopeTests {
    private static let message = Data(#"{"resourceType":"Patient","id":"1"}"#.utf8)

    private func recipient() throws -> EnvelopeRecipient {
        try EnvelopeRecipient(certificate: Data(EnvelopeVectors.certificate.utf8), keyID: "key-1")
    }

    private func key() throws -> PrivateKey { try PrivateKey(pem: Secret(EnvelopeVectors.key)) }

    @Test func whatIsSealedIsOpenedByTheKeyOnly() throws {
        let other = try PrivateKey(.rsa(bits: 2048))
        for count in [0, 1, 16, 100_000] {
            let message = try RandomBytes.make(count)
            let envelope = try recipient().seal(message)
            #expect(try key().openEnvelope(envelope) == message)
            #expect(EnvelopeRecipient.keyID(of: envelope) == "key-1")
            #expect(throws: EnvelopeError.self) { try other.openEnvelope(envelope) }
            let old = try recipient().legacySeal(message)
            #expect(try key().openLegacyEnvelope(old) == message)
            #expect(EnvelopeRecipient.legacyKeyID(of: old) == "key-1")
            #expect(throws: EnvelopeError.self) { try other.openLegacyEnvelope(old) }
            // Nobody gets the form that authenticates nothing for the other.
            #expect(throws: EnvelopeError.self) { try key().openEnvelope(old) }
            #expect(throws: EnvelopeError.self) { try key().openLegacyEnvelope(envelope) }
            #expect(EnvelopeRecipient.keyID(of: old) == nil && EnvelopeRecipient.legacyKeyID(of: envelope) == nil)
        }
    }

    @Test func twoMessagesShareNoKeyAndNoVector() throws {
        var parts: [Set<Substring>] = [[], [], [], [], []]
        for _ in 0..<50 {
            let envelope = String(decoding: try recipient().seal(Self.message), as: UTF8.self)
            for (number, part) in envelope.split(separator: ".").enumerated() { parts[number].insert(part) }
        }
        #expect(parts.map(\.count) == [1, 50, 50, 50, 50])
        var old: Set<String> = []
        for _ in 0..<50 {
            let json = try JSONDecoder().decode([String: String].self, from: try recipient().legacySeal(Self.message))
            old.insert(json["symmetric_key"] ?? "")
            old.insert(json["message"] ?? "")
            #expect(json["version"] == "1.0.2" && json["key_id"] == "key-1" && json.count == 4)
        }
        #expect(old.count == 100)
    }

    @Test func aChangedEnvelopeIsNotOpened() throws {
        let envelope = try recipient().seal(Self.message)
        let key = try key()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var changed = envelope
            let place = Int.random(in: 0..<changed.count, using: &random)
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let error = #expect(throws: EnvelopeError.self) { try key.openEnvelope(changed) }
            #expect(error?.description == "the envelope was changed, is for another key, or is no envelope")
        }
        for wrong in ["", "....", "a.b.c.d.e", "{}", "null"] {
            #expect(throws: EnvelopeError.self) { try key.openEnvelope(Data(wrong.utf8)) }
            #expect(EnvelopeRecipient.keyID(of: Data(wrong.utf8)) == nil)
        }
    }

    /// What pyca/cryptography and jwcrypto sealed is opened.
    @Test func envelopesOfOthersAreOpened() throws {
        #expect(try key().openEnvelope(Data(EnvelopeVectors.jwe.utf8)) == Self.message)
        #expect(try key().openLegacyEnvelope(Data(EnvelopeVectors.legacy.utf8)) == Self.message)
    }

    @Test func onlyRSAKeysAreForEnvelopes() throws {
        let envelope = try recipient().seal(Self.message)
        let error = #expect(throws: EnvelopeError.self) { try PrivateKey(.p256).openEnvelope(envelope) }
        #expect(error?.code == .invalidKey)
        #expect(throws: EnvelopeError.self) { try EnvelopeRecipient(certificate: Data("x".utf8), keyID: "1") }
        var text = ""
        dump(try key(), to: &text)
        #expect("\(try key())".hasSuffix(", RSA-2048") && text.count < 120 && !text.contains("BEGIN"))
    }

    // MARK: - Requests

    @Test func aPolicyChoosesRequests() throws {
        let recipient = try recipient()
        let policy = EnvelopePolicy(endpoint: address("https://sealed.example.org")) { $0.path.hasPrefix("Patient") ? recipient : nil }
        let request = try FHIRRequest.update(Patient { $0.id = "1" }, ifMatch: "3")
        let sealed = try #require(try policy.sealed(request))
        #expect(sealed.method == .put && sealed.path == "Patient/1" && sealed.fields["If-Match"] == "W/\"3\"")
        #expect(sealed.fields["Content-Type"] == "application/jose" && sealed.isRepeatable == request.isRepeatable)
        #expect(try key().openEnvelope(#require(sealed.body)) == request.body)
        #expect(try policy.sealed(.create(Observation())) == nil)
        #expect(try policy.sealed(.delete("Patient", id: "1")) == nil)
        let old = EnvelopePolicy(endpoint: address("https://sealed.example.org"), form: .legacyDataQueue) { _ in recipient }
        #expect(try #require(try old.sealed(request)).fields["Content-Type"] == "application/json")
        #expect(throws: EnvelopeError.self) { try policy.sealed(.create(Patient(), ifNoneExist: ["identifier": "1"])) }
        #expect(throws: EnvelopeError.self) { try policy.sealed(.update(Patient(), where: ["identifier": "1"])) }
    }

    // MARK: - Vectors and oracles

    /// The vectors of Wycheproof for RSA-OAEP-256: those with A256GCM that are valid are opened, and no others.
    @Test(.enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"))
    func vectorsOfWycheproof() throws {
        struct File: Decodable {
            struct Group: Decodable {
                struct Test: Decodable {
                    let tcId: Int
                    let jwe: String
                    let pt: String?
                    let result: String
                }
                let `private`: JSONValue
                let tests: [Test]
            }
            let testGroups: [Group]
        }
        var opened = 0
        var refused = 0
        let archive = try #require(SharedArchive.suites)
        let file = try JSONDecoder().decode(File.self, from: archive.content(of: "wycheproof/json_web_encryption_test.json"))
        for group in file.testGroups {
            guard case .object(let members) = group.private, members["alg"] == "RSA-OAEP-256" else { continue }
            let key = try PrivateKey(jwk: Secret(JSONEncoder().encode(members)))
            for test in group.tests {
                let header = test.jwe.prefix { $0 != "." }
                let text = Data(base64URL: header).map { String(decoding: $0, as: UTF8.self) } ?? ""
                if test.result == "valid", text.contains("\"A256GCM\"") {
                    let message = try key.openEnvelope(Data(test.jwe.utf8))
                    #expect(
                        message.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == test.pt, "vector \(test.tcId)")
                    opened += 1
                } else {
                    #expect(throws: EnvelopeError.self, "vector \(test.tcId)") { try key.openEnvelope(Data(test.jwe.utf8)) }
                    refused += 1
                }
            }
        }
        #expect(opened >= 1 && refused >= 19)
        print("Wycheproof JWE: \(opened) opened, \(refused) refused")
    }

    @Test(.enabled(if: Oracle.hasJWCrypto, "python3 has no jwcrypto")) func jwcryptoOpensAnEnvelope() throws {
        let folder = try TemporaryFolder()
        let envelope = try folder.write("envelope", try recipient().seal(Self.message))
        let keyFile = try folder.write("key.pem", EnvelopeVectors.key)
        let script = """
            import sys
            from jwcrypto import jwe, jwk
            key = jwk.JWK.from_pem(open(sys.argv[2], 'rb').read())
            token = jwe.JWE()
            token.deserialize(open(sys.argv[1]).read(), key=key)
            sys.stdout.write(token.payload.decode())
            """
        #expect(try Oracle.run(Oracle.python, ["-c", script, envelope, keyFile]) == Self.message)
    }

    @Test(.enabled(if: Oracle.hasOpenSSL, "openssl is not installed")) func opensslOpensAnOldEnvelope() throws {
        let folder = try TemporaryFolder()
        let json = try JSONDecoder().decode([String: Data].self, from: Self.onlyData(try recipient().legacySeal(Self.message)))
        let keyFile = try folder.write("key.pem", EnvelopeVectors.key)
        let sealedKey = try folder.write("sealed.key", try #require(json["symmetric_key"]))
        let sealed = try folder.write("sealed", try #require(json["message"]))
        let contentKey = try Oracle.run(
            "/usr/bin/openssl", ["pkeyutl", "-decrypt", "-inkey", keyFile, "-pkeyopt", "rsa_padding_mode:oaep", "-in", sealedKey])
        #expect(contentKey.count == 32)
        let hex = contentKey.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let message = try Oracle.run(
            "/usr/bin/openssl",
            ["enc", "-d", "-aes-256-cbc", "-K", hex, "-iv", String(repeating: "0", count: 32), "-in", sealed])
        #expect(message == Self.message)
    }

    private static func onlyData(_ envelope: Data) throws -> Data {
        var json = try JSONDecoder().decode([String: String].self, from: envelope)
        json["key_id"] = nil
        json["version"] = nil
        return try JSONEncoder().encode(json)
    }
}

import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// Tokens, keys, heads and proofs from strangers: whatever they contain is refused with an error of the module, or is what it was.
@Suite struct TokenMutationTests {
    private let now = Date(timeIntervalSince1970: 1_750_000_000)
    private let audience = "https://example.org/token"
    private static let rounds = Effort.isNightly ? 50_000 : Effort.count(1_500)

    private static let pieces = [
        "null", "[]", "{}", "true", "1e999", "-0", "-1e308", "9223372036854775808", "\"", "\\u0000", "\\ud800", ",", ":", "{\"a\":", "[[[[",
        "\u{301}",
        "\"alg\":\"none\"", "\"exp\":1e300,", "\"aud\":[],", "\"iss\":\"x\",", "\"crit\":[\"b64\"],", "\"jti\":\"\",", "ES384", "=", ".",
        "..",
    ].map { Array($0.utf8) }

    /// The bytes with one to three changes: bits, missing parts, repeated parts, pieces of JSON.
    private static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random.int(1...3) where !bytes.isEmpty {
            let place = random.int(0...bytes.count - 1)
            let end = min(bytes.count, place + random.int(1...12))
            switch random.int(0...4) {
            case 0: bytes[place] ^= 1 << UInt8(random.int(0...7))
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.insert(contentsOf: random.pick(pieces), at: place)
            default: bytes.replaceSubrange(place..<end, with: random.pick(pieces))
            }
        }
        return bytes
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func changedTokensAreRefusedOrSayWhatIsExpected() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let signer = SigningIdentity(id: "app", key: try PrivateKey())
        try store.write { try $0.setIdentity(Identity(id: "app", keys: [.init(signer.key.publicKey, from: .distantPast)])) }
        let token = try signer.clientAssertion(for: audience, at: now).value
        let parts = token.split(separator: ".").map(String.init)
        let header = Array(#"{"alg":"ES256","kid":"\#(signer.keyID)","typ":"JWT"}"#.utf8)
        var random = SeededGenerator(seed: 31)
        var (accepted, refused) = (0, 0)
        try store.write { tx in
            func check(_ token: String, isChanged: Bool) throws {
                do {
                    let claims = try tx.redeemToken(Secret(token), expecting: TokenExpectation(audience: audience), at: now)
                    #expect(!isChanged, "a changed token was accepted: \(token)")
                    #expect(claims.issuer == "app" && claims.audience.contains(audience) && claims.id?.isEmpty == false)
                    #expect(claims.expires >= now.addingTimeInterval(-300) && claims.issuedAt ?? now <= now.addingTimeInterval(300))
                    accepted += 1
                } catch is TrustError { refused += 1 }
            }
            for round in 0..<Self.rounds {
                // The claims, signed as they are.
                let claims = Array(
                    #"{"iss":"app","sub":"app","aud":["\#(audience)"],"iat":1750000000,"exp":1750000240,"jti":"n\#(round)"}"#.utf8)
                let payload = Data(random.percent(5) ? claims : Self.mutated(claims, &random))
                try check(signer.sign(payload, type: "JWT").text(), isChanged: false)
                // The header, and the text as a whole.
                let other = Data(Self.mutated(header, &random)).base64URLText
                if other != parts[0] { try check("\(other).\(parts[1]).\(parts[2])", isChanged: true) }
                let text = Self.text(Self.mutated(Array(token.utf8), &random))
                if text != token { try check(text, isChanged: true) }
            }
        }
        #expect(accepted > Effort.count(20) && refused > Self.rounds)
    }

    @Test func changedKeysHeadsAndProofsAreRefusedOrRead() throws {
        let audited = try AuditedStore()
        for number in 1...5 { try audited.store.write { _ = try $0.upsert(auditedPatient("\(number)", "A")) } }
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "2") }
        let consistency = try audited.store.read { try $0.auditConsistencyProof(from: $0.auditHeads()[2]) }
        let (proofJSON, consistencyJSON) = (Array(try proof.json), Array(try consistency.json))
        let jwk = Array(try PrivateKey().publicKey.jwk)
        let token = Array(try audited.head().token.utf8)
        var random = SeededGenerator(seed: 32)
        var refused = 0
        for _ in 0..<Self.rounds {
            do { _ = try PublicKey(jwk: Data(Self.mutated(jwk, &random))) } catch is CryptoError { refused += 1 }
            do {
                let head = try AuditHead(token: Self.text(Self.mutated(token, &random)))
                _ = try audited.verification(from: [head])
            } catch is AuditError { refused += 1 }
            do {
                let read = try AuditProof(json: Data(Self.mutated(proofJSON, &random)))
                try read.verify(signedBy: audited.keys)
                // Without the resource it is a proof of the entry alone.
                #expect(read.entry == proof.entry && read.head == proof.head, "a changed proof was accepted")
                #expect(read.resource == nil || read.resource == proof.resource, "a changed resource was accepted")
            } catch is AuditError { refused += 1 }
            do {
                let read = try AuditConsistencyProof(json: Data(Self.mutated(consistencyJSON, &random)))
                try read.verify(signedBy: audited.keys)
                #expect(read == consistency, "a changed proof was accepted")
            } catch is AuditError { refused += 1 }
        }
        #expect(refused > Self.rounds)
    }
}

import FireLiteR4
import FireLiteTrust
import Foundation
import Testing

@Suite struct TokenAcceptanceTests {
    private let now = Date(timeIntervalSince1970: 1_750_000_000)
    private let audience = "https://example.org/token"

    /// A store that knows a party, and the party.
    private func party() throws -> (FHIRStore, SigningIdentity) {
        let store = try FHIRStore.inMemory(release: .r4)
        let signer = SigningIdentity(id: "dcsi-1", key: try PrivateKey())
        try store.write { try $0.setIdentity(Identity(id: signer.id, keys: [.init(signer.key.publicKey, from: .distantPast)])) }
        return (store, signer)
    }

    private func accept(_ token: Secret, _ store: FHIRStore, issuer: String? = nil, at moment: Date) -> TrustError.Code? {
        refusal {
            _ = try store.write { tx in
                try tx.redeemToken(token, expecting: TokenExpectation(issuer: issuer, audience: audience), at: moment)
            }
        }
    }

    @Test func assertionsAreAcceptedOnce() throws {
        let (store, signer) = try party()
        let token = try signer.clientAssertion(for: audience, at: now)
        let claims = try store.write { try $0.redeemToken(token, expecting: .init(audience: audience), at: now) }
        #expect(claims.issuer == signer.id && claims.subject == signer.id && claims.audience == [audience])
        #expect(accept(token, store, at: now) == .replayed)
        #expect(accept(try signer.clientAssertion(for: audience, at: now), store, at: now) == nil)
    }

    @Test func noncesArePrunedWithTheirTokens() throws {
        let (store, signer) = try party()
        func count() throws -> Int64? { try store.sql("SELECT count(*) FROM _trust_nonce").first?[0].integer }
        for second in 0..<5 {
            #expect(accept(try signer.clientAssertion(for: audience, at: now), store, at: now.addingTimeInterval(Double(second))) == nil)
        }
        #expect(try count() == 5)
        let later = now.addingTimeInterval(541)
        #expect(accept(try signer.clientAssertion(for: audience, at: later), store, at: later) == nil)
        #expect(try count() == 1)
    }

    @Test func tokensAreNotAcceptedAgainWithinTheSkew() throws {
        let (store, signer) = try party()
        let token = try signer.clientAssertion(for: audience, at: now)
        #expect(accept(token, store, at: now) == nil)
        for second in [240.0, 301, 480, 540] {
            let moment = now.addingTimeInterval(second)
            // Each token that is accepted prunes the ids of those that are too old.
            #expect(accept(try signer.clientAssertion(for: audience, at: moment), store, at: moment) == nil)
            #expect(accept(token, store, at: moment) == .replayed, "\(second)")
        }
    }

    @Test func tokensInJSONAreRefused() throws {
        let (store, signer) = try party()
        let token = try signer.clientAssertion(for: audience, at: now)
        #expect(accept(Secret(try JWS(token.value).text(.json)), store, at: now) == .malformed)
        #expect(accept(token, store, at: now) == nil)
    }

    @Test func everyFaultHasItsOwnError() throws {
        let (store, signer) = try party()
        func token(_ change: (inout TokenClaims) -> Void) throws -> Secret {
            var claims = TokenClaims(issuer: signer.id, audience: [audience], issuedAt: now)
            change(&claims)
            return try signer.token(claims)
        }
        #expect(accept(try token { _ in }, store, at: now) == nil)
        #expect(accept(try token { $0.audience = ["https://example.org/other"] }, store, at: now) == .wrongAudience)
        #expect(accept(try token { $0.audience = ["a", "https://example.org/token"] }, store, at: now) == nil)
        #expect(accept(try token { $0.issuer = "someone" }, store, at: now) == .wrongIssuer)
        #expect(accept(try token { _ in }, store, issuer: "someone", at: now) == .wrongIssuer)
        #expect(accept(try token { $0.id = nil }, store, at: now) == .malformed)
        #expect(accept(try token { $0.expires = now.addingTimeInterval(4000) }, store, at: now) == .malformed)
        // The clocks may differ by five minutes, and not by a second more.
        #expect(accept(try token { _ in }, store, at: now.addingTimeInterval(600)) == nil)
        #expect(accept(try token { _ in }, store, at: now.addingTimeInterval(601)) == .expired)
        #expect(accept(try token { _ in }, store, at: now.addingTimeInterval(-300)) == nil)
        #expect(accept(try token { _ in }, store, at: now.addingTimeInterval(-301)) == .notYetValid)
        #expect(accept(try token { $0.notBefore = now.addingTimeInterval(301) }, store, at: now) == .notYetValid)
        // Another party's key, and one that nobody knows.
        let stranger = SigningIdentity(id: signer.id, key: try PrivateKey())
        #expect(accept(try stranger.clientAssertion(for: audience, at: now), store, at: now) == .unknown)
        try store.write { try $0.setIdentity(Identity(id: "other", keys: [.init(stranger.key.publicKey, from: .distantPast)])) }
        #expect(accept(try stranger.clientAssertion(for: audience, at: now), store, at: now) == .wrongIssuer)
        #expect(accept("eyJhbGciOiJub25lIn0.e30.", store, at: now) == .unsupported)
        #expect(accept("{}", store, at: now) == .malformed)
    }
}

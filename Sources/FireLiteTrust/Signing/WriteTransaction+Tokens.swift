import FireLite
import Foundation

extension WriteTransaction {
    /// Accepts a token once: verifies its signature, its issuer, its audience and its time, and stores its id to refuse it the next time.
    ///
    /// ```swift
    /// let claims = try store.write { tx in
    ///     try tx.redeemToken(token, expecting: TokenExpectation(audience: "https://example.org/token"))
    /// }
    /// ```
    /// The ids are kept until the tokens expire. Rolling back the write also removes the id.
    /// - Parameters:
    ///   - token: a JSON Web Token in the compact form.
    ///   - expectation: the claims that it needs.
    ///   - moment: the current time.
    /// - Returns: its claims.
    /// - Throws: ``TrustError``, with a code for each reason; `FHIRStoreError`.
    @discardableResult
    public func redeemToken(
        _ token: Secret, expecting expectation: TokenExpectation, at moment: Date = FHIRClock.system.now()
    ) throws -> TokenClaims {
        let token = token.value
        guard !token.contains("{") else { throw TrustError(.malformed, "a token is a JWS in the compact form") }
        let signature = try JWS(token)
        let signer = try verify(signature, at: moment)
        let claims = try TokenClaims(json: signature.payload)
        try expectation.check(claims, signer: signer, at: moment)
        guard let nonce = claims.id, !nonce.isEmpty, nonce.utf8.count <= 200 else {
            throw TrustError(.malformed, "a token needs the claim jti, of up to 200 characters")
        }
        try use(nonce, issuer: claims.issuer, expires: claims.expires.addingTimeInterval(expectation.skew), at: moment)
        return claims
    }

    /// Notes a nonce for one use.
    ///
    /// - Throws: ``TrustError/Code/replayed``.
    func use(_ nonce: String, issuer: String, expires: Date, at moment: Date) throws {
        try run(on: TrustTables.module, "DELETE FROM _trust_nonce WHERE expires < ?", [.integer(moment.trustMilliseconds)])
        let noted = try run(
            on: TrustTables.module, "INSERT OR IGNORE INTO _trust_nonce(issuer, nonce, expires) VALUES (?, ?, ?)",
            [.text(issuer), .text(nonce), .integer(expires.trustMilliseconds)])
        guard noted == 1 else { throw TrustError(.replayed, "the token was used before") }
    }
}

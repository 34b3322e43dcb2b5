import Foundation

extension SigningIdentity {
    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: what is signed.
    ///   - type: the media type for `typ`; nil for none.
    /// - Throws: ``TrustError/Code/key``.
    public func sign(_ payload: Data, type: String? = nil) throws -> JWS { try JWS(signing: payload, with: key, type: type) }

    /// A JSON Web Token with these claims, in the compact form.
    ///
    /// - Throws: ``TrustError/Code/key``.
    public func token(_ claims: TokenClaims) throws -> Secret {
        Secret(try JWS(signing: claims.json, with: key, type: "JWT").text())
    }

    /// A client assertion for a token endpoint, for one use within five minutes (RFC 7523; SMART App Launch, backend services).
    ///
    /// - Parameters:
    ///   - audience: the address of the token endpoint.
    ///   - clientID: the client's id at the server; nil for the identity's.
    ///   - moment: the current time.
    /// - Throws: ``TrustError/Code/key``.
    public func clientAssertion(for audience: String, clientID: String? = nil, at moment: Date = FHIRClock.system.now()) throws -> Secret {
        // SMART permits five minutes, and clocks differ.
        try token(TokenClaims(issuer: clientID ?? id, audience: [audience], issuedAt: moment, lifetime: 240))
    }
}

import Foundation

/// The claims that a token needs to be accepted.
public struct TokenExpectation: Sendable, Hashable {
    /// The issuer; nil for any identity in the store.
    public var issuer: String?
    /// The recipient.
    public var audience: String
    /// The seconds by which the clocks of the parties may differ.
    public var skew: TimeInterval

    /// Five minutes, as in FhirBlocks.
    public static let standardSkew: TimeInterval = 300
    /// The longest accepted lifetime of a token, in seconds.
    public static let longestLifetime: TimeInterval = 3600

    /// Creates an expectation.
    ///
    /// - Parameters:
    ///   - issuer: the issuer; nil for any identity in the store.
    ///   - audience: whom it must be for.
    ///   - skew: the seconds by which the clocks of the parties may differ.
    public init(issuer: String? = nil, audience: String, skew: TimeInterval = TokenExpectation.standardSkew) {
        self.issuer = issuer
        self.audience = audience
        self.skew = skew
    }

    /// Whether claims are as expected.
    ///
    /// - Throws: ``TrustError``.
    func check(_ claims: TokenClaims, signer: Identity, at moment: Date) throws {
        guard claims.issuer == signer.id, issuer == nil || claims.issuer == issuer else {
            throw TrustError(.wrongIssuer, "the token is from another issuer than expected")
        }
        guard claims.audience.contains(audience) else { throw TrustError(.wrongAudience, "the token is for somebody else") }
        guard claims.expires.addingTimeInterval(skew) >= moment else { throw TrustError(.expired, "the token's time is over") }
        for begin in [claims.issuedAt, claims.notBefore].compactMap({ $0 }) {
            guard begin.addingTimeInterval(-skew) <= moment else {
                throw TrustError(.notYetValid, "the token's time has not come yet: compare the clocks")
            }
        }
        guard claims.expires.timeIntervalSince(claims.issuedAt ?? moment) <= Self.longestLifetime else {
            throw TrustError(.malformed, "the token is valid for more than an hour: ask for one with a shorter life")
        }
    }
}

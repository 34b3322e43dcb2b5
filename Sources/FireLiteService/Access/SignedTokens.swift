import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import FireLiteTrust
import Foundation

/// JSON Web Tokens that an authorization server has signed (RFC 9068), verified with its keys.
///
/// A token must name a key of the set, be for this service (`aud`), be from the issuer, and be valid now. Its claims `scope` and `patient` say what
/// its bearer may do. ES256, ES384 and RS384 are accepted.
public struct SignedTokens: ServiceAuthorizer {
    private let keys: KeySet
    private let issuer: String
    private let clock: FHIRClock
    /// The seconds by which clocks may differ.
    private static let skew: TimeInterval = 60

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - jwks: the authorization server's keys, a JSON Web Key Set (RFC 7517).
    ///   - issuer: the authorization server, as `iss` names it.
    ///   - clock: the source of time. Default: the system's.
    /// - Throws: ``ServiceError/Code/credentials`` if `jwks` is not a set of keys.
    public init(jwks: Data, issuer: String, clock: FHIRClock = .system) throws {
        keys = try KeySet(jwks)
        self.issuer = issuer
        self.clock = clock
    }

    /// The access of the bearer; nil for a token that is not valid.
    public func access(token: Secret?, base: String) async throws -> ServiceAccess? {
        guard let token, let claims = keys.claims(of: token.value), claims["iss"]?.text == issuer,
            claims.isTime(clock.now(), within: Self.skew), claims.audience.contains(base)
        else { return nil }
        let subject = claims["sub"]?.text ?? claims["client_id"]?.text
        guard let subject else { return nil }
        return ServiceAccess(subject: subject, scopes: SMARTScope.list(claims["scope"]?.text ?? ""), patient: claims["patient"]?.text)
    }

    /// The issuer.
    public func configuration(base: String) -> [String: JSONValue] { ["issuer": .string(issuer)] }
}

/// The keys of somebody who signs tokens.
struct KeySet: Sendable {
    private let keys: [String: PublicKey]

    /// - Throws: `ServiceError.credentials` for text that is not a set of keys with ids.
    init(_ jwks: Data) throws {
        let item: JSONItem
        do { item = try JSONItemReader.read(jwks) } catch {
            throw ServiceError(.credentials, "the key set is not JSON: \(error.problem)")
        }
        var keys: [String: PublicKey] = [:]
        for key in item["keys"]?.items ?? [] {
            guard let id = key["kid"]?.text else { throw ServiceError(.credentials, "a key of the set has no kid") }
            // Keys of other types and uses may be in the set.
            guard key["use"]?.text ?? "sig" == "sig", let known = try? PublicKey(jwk: Data(key.json.utf8)) else { continue }
            keys[id] = known
        }
        guard !keys.isEmpty else {
            throw ServiceError(.credentials, "the key set has no key for signatures: ES256, ES384 and RS384 are accepted")
        }
        self.keys = keys
    }

    /// The claims of a token that one of the keys has signed; nil for any other.
    func claims(of token: String) -> JSONItem? {
        guard token.utf8.count <= 16_384, let signature = try? JWS(token), let id = signature.keyID, let key = keys[id] else { return nil }
        do { try signature.verify(with: key) } catch { return nil }
        guard let claims = try? JSONItemReader.read(signature.payload), claims.isObject else { return nil }
        return claims
    }
}

extension JSONItem {
    /// The recipients of a token, `aud`.
    var audience: [String] { self["aud"].map { $0.text.map { [$0] } ?? $0.items.compactMap(\.text) } ?? [] }

    /// A time of a token; nil if it has none, or one that is not a number.
    func time(_ name: String) -> Date? { self[name]?.number.map { Date(timeIntervalSince1970: $0.doubleValue) } }

    /// Whether a token is valid at a time: it must say until when.
    func isTime(_ now: Date, within skew: TimeInterval) -> Bool {
        guard let end = time("exp"), end.addingTimeInterval(skew) > now else { return false }
        for name in ["nbf", "iat"] where self[name] != nil {
            guard let start = time(name), start.addingTimeInterval(-skew) <= now else { return false }
        }
        return true
    }
}

import FireLiteCore
import FireLiteCrypto
import Foundation

/// The claims of a JSON Web Token (RFC 7519) that this module reads and writes.
public struct TokenClaims: Sendable, Hashable {
    /// The issuer, `iss`.
    public var issuer: String
    /// The subject, `sub`.
    public var subject: String?
    /// The recipients, `aud`.
    public var audience: [String]
    /// The time of issue, `iat`.
    public var issuedAt: Date?
    /// The beginning of its validity, `nbf`.
    public var notBefore: Date?
    /// The end of its validity, `exp`.
    public var expires: Date
    /// Its own id, `jti`: a nonce for one use.
    public var id: String?
    /// The requested or granted scope, `scope`.
    public var scope: String?

    /// Creates claims.
    ///
    /// - Parameters:
    ///   - issuer: who makes the token.
    ///   - subject: the subject; nil for the issuer.
    ///   - audience: whom it is for.
    ///   - issuedAt: when it is made.
    ///   - lifetime: the lifetime in seconds. SMART permits up to 300.
    ///   - id: its own id; nil for 192 random bits.
    ///   - scope: what is asked for or granted.
    public init(
        issuer: String, subject: String? = nil, audience: [String], issuedAt: Date = FHIRClock.system.now(), lifetime: TimeInterval = 300,
        id: String? = nil,
        scope: String? = nil
    ) {
        self.issuer = issuer
        self.subject = subject ?? issuer
        self.audience = audience
        self.issuedAt = issuedAt
        expires = issuedAt.addingTimeInterval(lifetime)
        self.id = id ?? Self.nonce()
        self.scope = scope
    }

    private static func nonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<3).map { _ in generator.next() }
        return words.withUnsafeBytes { Data($0) }.base64URL
    }

    // MARK: - JSON

    init(json: Data) throws {
        let item = try JSONItem.read(json)
        guard item.isObject else { throw TrustError(.malformed, "the claims of a token are an object") }
        func text(_ name: String) throws -> String? {
            guard let value = item[name] else { return nil }
            guard let text = value.text else { throw TrustError(.malformed, "the claim \(name) is not a string") }
            return text
        }
        func date(_ name: String) throws -> Date? {
            guard let value = item[name] else { return nil }
            guard let number = value.number?.doubleValue, number.isFinite else {
                throw TrustError(.malformed, "the claim \(name) is not a number")
            }
            return Date(timeIntervalSince1970: number)
        }
        guard let issuer = try text("iss"), let expires = try date("exp") else {
            throw TrustError(.malformed, "a token needs the claims iss and exp")
        }
        self.issuer = issuer
        self.expires = expires
        (subject, id, scope) = (try text("sub"), try text("jti"), try text("scope"))
        (issuedAt, notBefore) = (try date("iat"), try date("nbf"))
        switch item["aud"]?.content {
        case nil: audience = []
        case .string(let text)?: audience = [text]
        case .array(let items)?:
            audience = items.compactMap(\.text)
            guard audience.count == items.count else { throw TrustError(.malformed, "the claim aud has values that are not strings") }
        default: throw TrustError(.malformed, "the claim aud is not a string")
        }
    }

    var json: Data {
        func seconds(_ date: Date?) -> JSONItem? { date.map { .number(String(Int64($0.timeIntervalSince1970.rounded(.down)))) } }
        let members = JSONItem.object([
            "iss": .string(issuer), "sub": subject.map { .string($0) },
            "aud": audience.count == 1 ? .string(audience[0]) : audience.isEmpty ? nil : .array(audience.map { .string($0) }),
            "iat": seconds(issuedAt), "nbf": seconds(notBefore), "exp": seconds(expires), "jti": id.map { .string($0) },
            "scope": scope.map { .string($0) },
        ])
        return Data(members.json.utf8)
    }
}

import FireLiteCrypto
import Foundation

/// A private key with which a client identifies itself (RFC 7523), and its public half for the server.
public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// A signature algorithm.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// ECDSA with P-256.
        case es256 = "ES256"
        /// ECDSA with P-384.
        case es384 = "ES384"
        /// RSA with SHA-256, for servers that know no other; not part of SMART.
        case rs256 = "RS256"
        /// RSA with SHA-384.
        case rs384 = "RS384"

        var signature: SignatureAlgorithm {
            switch self {
            case .es256: .es256
            case .es384: .es384
            case .rs256: .rs256
            case .rs384: .rs384
            }
        }
    }

    let key: PrivateKey
    /// The algorithm of its signatures.
    public let algorithm: Algorithm
    /// The key's id at the server, `kid`.
    public let id: String

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - pem: a private key in PKCS #8, PKCS #1 or SEC 1, without a password.
    ///   - id: the key's id at the server.
    ///   - algorithm: nil for ES256, ES384 or RS384, by the kind of key.
    /// - Throws: ``AuthorizationError/Code/invalidKey``.
    public init(pem: Secret, id: String, algorithm: Algorithm? = nil) throws {
        try self.init(id: id, algorithm: algorithm) { try PrivateKey(pem: pem.value) }
    }

    /// Reads a key in JSON (RFC 7517).
    ///
    /// - Parameters:
    ///   - json: a JSON Web Key with its private members.
    ///   - id: the key's id at the server; nil for the member `kid`.
    ///   - algorithm: nil for ES256, ES384 or RS384, by the kind of key.
    /// - Throws: ``AuthorizationError/Code/invalidKey``.
    public init(json: Data, id: String? = nil, algorithm: Algorithm? = nil) throws {
        let key: JSONWebKey
        do { key = try JSONDecoder().decode(JSONWebKey.self, from: json) } catch {
            throw AuthorizationError(.invalidKey, "the key is not a JSON Web Key")
        }
        guard let id = id ?? key.kid else { throw AuthorizationError(.invalidKey, "the JSON Web Key has no id: give one") }
        try self.init(id: id, algorithm: algorithm) { try key.privateKey() }
    }

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm of its signatures; RSA keys get 3072 bits.
    ///   - id: the key's id at the server; nil for the key's thumbprint (RFC 7638).
    /// - Throws: ``AuthorizationError/Code/invalidKey`` if the system's cryptography fails.
    public init(_ algorithm: Algorithm, id: String? = nil) throws {
        let kind: KeyKind =
            switch algorithm {
            case .es256: .p256
            case .es384: .p384
            case .rs256, .rs384: .rsa(bits: 3072)
            }
        let key: PrivateKey
        do { key = try PrivateKey(kind) } catch { throw AuthorizationError(.invalidKey, "a key cannot be made: \(error)") }
        try self.init(id: try id ?? Self.thumbprint(key.publicKey), algorithm: algorithm) { key }
    }

    private init(id: String, algorithm: Algorithm?, _ read: () throws -> PrivateKey) throws {
        do { key = try read() } catch let error as CryptoError { throw AuthorizationError(.invalidKey, error.description) }
        let standard: Algorithm =
            switch key.kind {
            case .p256: .es256
            case .p384: .es384
            case .rsa: .rs384
            }
        self.algorithm = algorithm ?? standard
        guard self.algorithm.signature.suits(key.kind) else {
            throw AuthorizationError(.invalidKey, "\(self.algorithm.rawValue) needs another kind of key than \(key.kind)")
        }
        self.id = id
    }

    /// The private key as PEM, to be kept secret.
    ///
    /// - Throws: ``AuthorizationError/Code/invalidKey`` if the system does not give it out.
    public func pem() throws -> Secret {
        do { return Secret(try key.pem()) } catch { throw AuthorizationError(.invalidKey, "the key cannot be encoded") }
    }

    /// The public key as PEM, for servers that ask for it in this form.
    public var publicPEM: String { key.publicKey.pem }

    /// The public key as a JSON Web Key Set, for the server: as `jwks`, or at an address that the server reads.
    ///
    /// - Throws: ``AuthorizationError/Code/invalidKey`` if the system's cryptography fails.
    public func publicKeySet() throws -> JSONValue { .object(["keys": .array([try publicMembers()])]) }

    private func publicMembers() throws -> JSONValue {
        do {
            var members = try JSONWebKey(key.publicKey)
            members.kid = id
            members.alg = algorithm.rawValue
            members.use = "sig"
            members.key_ops = ["verify"]
            return try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(members))
        } catch { throw AuthorizationError(.invalidKey, "the public key cannot be encoded") }
    }

    private static func thumbprint(_ key: PublicKey) throws -> String {
        do { return try key.thumbprint() } catch { throw AuthorizationError(.invalidKey, "the public key cannot be encoded") }
    }

    /// A signed statement about the client, for one use (RFC 7523; SMART App Launch, backend services).
    ///
    /// - Parameters:
    ///   - clientID: the client.
    ///   - audience: the address of the token endpoint.
    ///   - now: the present.
    func assertion(clientID: String, audience: URL, now: Date) throws -> Secret {
        let header: [String: JSONValue] = ["alg": .string(algorithm.rawValue), "kid": .string(id), "typ": "JWT"]
        let issued = Int(now.timeIntervalSince1970.rounded(.down))
        do {
            let claims: [String: JSONValue] = [
                "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience.absoluteString),
                "iat": .number(Double(issued)), "exp": .number(Double(issued + Self.lifetime)),
                "jti": .string(try RandomBytes.make(24).base64URL),
            ]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Secret(
                try CompactSerialization.text(header: encoder.encode(header), payload: encoder.encode(claims)) {
                    try key.signature(of: $0, algorithm: algorithm.signature)
                })
        } catch { throw AuthorizationError(.invalidKey, "the key cannot sign: \(error)") }
    }

    /// The seconds for which an assertion is valid: SMART permits five minutes, and clocks differ.
    private static let lifetime = 240

    /// The algorithm and the id.
    public var description: String { "\(algorithm.rawValue) key \(id)" }
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

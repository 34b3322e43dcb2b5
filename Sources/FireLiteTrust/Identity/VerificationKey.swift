import FireLiteCrypto
import Foundation

/// The public key of an app or a device, with which its signatures are verified.
public struct VerificationKey: Sendable, Hashable, CustomStringConvertible {
    package let key: PublicKey
    /// The key's thumbprint (RFC 7638), in base64url, which is its id.
    public let id: String
    /// The algorithm of its signatures, which its type determines.
    public let algorithm: JWSAlgorithm

    /// Reads a key as a JSON Web Key (RFC 7517). Its `kid` is ignored: the id is computed.
    ///
    /// - Parameter jwk: the JSON of a key of type EC, on P-256 or P-384, or of type RSA.
    /// - Throws: ``TrustError/Code/malformed``, ``TrustError/Code/key``.
    public init(jwk: Data) throws {
        let members: JSONWebKey
        do { members = try JSONDecoder().decode(JSONWebKey.self, from: jwk) } catch {
            throw TrustError(.malformed, "the key is not a JSON Web Key")
        }
        try self.init { try members.publicKey() }
    }

    /// Reads a PEM text with a public key or a certificate.
    ///
    /// - Throws: ``TrustError/Code/key``.
    public init(pem: String) throws { try self.init { try PublicKey(pem: pem) } }

    init(_ read: () throws -> PublicKey) throws {
        do {
            key = try read()
            id = try key.thumbprint()
        } catch let error as CryptoError { throw TrustError(.key, error.description) }
        algorithm =
            switch key.kind {
            case .p256: .es256
            case .p384: .es384
            case .rsa: .rs384
            }
    }

    /// The key as a JSON Web Key, with its id and algorithm.
    ///
    /// - Throws: ``TrustError/Code/key`` if the system does not give out the key.
    public var jwk: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            var members: JSONWebKey
            do { members = try JSONWebKey(key) } catch let error as CryptoError { throw TrustError(.key, error.description) }
            (members.kid, members.alg, members.use) = (id, algorithm.rawValue, "sig")
            return try encoder.encode(members)
        }
    }

    /// The key as PEM.
    public var pem: String { key.pem }

    /// Whether a signature was made for a message with the private key.
    ///
    /// - Parameters:
    ///   - signature: as in JOSE: r and s of equal length with a curve.
    ///   - message: what was signed.
    public func isValid(signature: Data, of message: Data) -> Bool {
        key.isValid(signature: signature, of: message, algorithm: algorithm.signature)
    }

    /// Whether an ECDSA signature in DER (X9.62) was made for a message with the private key.
    ///
    /// - Parameters:
    ///   - derSignature: r and s in DER, as `openssl dgst -sign` makes them.
    ///   - message: what was signed.
    public func isValid(derSignature: Data, of message: Data) -> Bool {
        key.isValid(derSignature: derSignature, of: message, algorithm: algorithm.signature)
    }

    public static func == (left: VerificationKey, right: VerificationKey) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The algorithm and the id.
    public var description: String { "\(algorithm.rawValue) key \(id)" }
}

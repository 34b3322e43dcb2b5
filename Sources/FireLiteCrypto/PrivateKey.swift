import FireLiteCore
import Foundation

/// A private key in the memory of the process. It signs and, with RSA, opens what was sealed for its public key.
///
/// ```swift
/// let key = try PrivateKey()
/// let text = key.publicKey.pem
/// ```
/// The same key type identifies a client to a server, an app or device to others, opens envelopes, and receives a keyring. Keep ``pem()`` in
/// the keychain or another safe place.
public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    let key: SystemPrivateKey
    /// The public key.
    public let publicKey: PublicKey
    /// The key's id at a server, `kid`: the id that it was given, or the public key's.
    public let id: String
    /// The algorithm with which it signs for a server.
    public let algorithm: SignatureAlgorithm

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - kind: a curve, or RSA. Default: P-256, which every party understands.
    ///   - id: the key's id at a server; nil for its thumbprint (RFC 7638).
    ///   - algorithm: nil for ES256, ES384 or RS384, by the kind of key.
    /// - Throws: ``CryptoError/Code/unsuitableKey`` for an RSA modulus of fewer than 2048 bits, or if the algorithm does not suit the kind;
    ///   ``CryptoError/Code/system``.
    public init(_ kind: KeyKind = .p256, id: String? = nil, algorithm: SignatureAlgorithm? = nil) throws {
        if case .rsa(let bits) = kind, bits < KeyKind.minimumRSABits || bits > 16_384 {
            throw CryptoError(.unsuitableKey, "an RSA key has 2048 to 16384 bits")
        }
        try self.init(SystemPrivateKey(kind), id: id, algorithm: algorithm)
    }

    /// Reads a PEM text with a private key: PKCS #8, PKCS #1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`), without a password.
    ///
    /// - Parameters:
    ///   - pem: the text.
    ///   - id: the key's id at a server; nil for its thumbprint (RFC 7638).
    ///   - algorithm: nil for ES256, ES384 or RS384, by the kind of key.
    /// - Throws: ``CryptoError/Code/invalidKey``; ``CryptoError/Code/unsuitableKey``, also for a key with a password.
    public init(pem: Secret, id: String? = nil, algorithm: SignatureAlgorithm? = nil) throws {
        self = try Self(SystemPrivateKey(der: Self.der(pem: pem.bytes)), id: id, algorithm: algorithm)
    }

    /// Reads a JSON Web Key (RFC 7517) with its private members.
    ///
    /// - Parameters:
    ///   - jwk: the JSON of a key of type EC, on P-256 or P-384, or of type RSA.
    ///   - id: the key's id at a server; nil for its member `kid`, and without that for its thumbprint (RFC 7638).
    ///   - algorithm: nil for ES256, ES384 or RS384, by the kind of key.
    /// - Throws: ``CryptoError/Code/invalidKey``, also if the private members do not match the public ones;
    ///   ``CryptoError/Code/unsuitableKey``.
    public init(jwk: Secret, id: String? = nil, algorithm: SignatureAlgorithm? = nil) throws {
        let members = try JSONWebKey(json: jwk.bytes)
        self = try Self(SystemPrivateKey(der: members.privateKeyInfo()), id: id ?? members.kid, algorithm: algorithm)
        // CryptoKit computes the public half of a curve's key and ignores the one that is given.
        guard publicKey == (try members.publicKey()) else {
            throw CryptoError(.invalidKey, "the private key does not match its public key")
        }
    }

    /// Reads a key in PKCS #8 (RFC 5208), without a password.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(der: Data) throws { try self.init(SystemPrivateKey(der: der), id: nil, algorithm: nil) }

    private init(_ key: SystemPrivateKey, id: String?, algorithm: SignatureAlgorithm?) throws {
        self.key = key
        publicKey = try PublicKey(key.publicKey)
        self.id = id ?? publicKey.id
        self.algorithm = algorithm ?? publicKey.algorithm
        guard self.algorithm.suits(key.kind) else {
            throw CryptoError(.unsuitableKey, "\(self.algorithm.rawValue) needs another kind of key than \(key.kind)")
        }
    }

    private static func der(pem: Data) throws -> Data {
        for block in PEMBlock.all(in: pem) {
            switch block.label {
            case "PRIVATE KEY": return block.content
            case "RSA PRIVATE KEY": return KeyEncoding.privateKeyInfo(rsa: block.content)
            case "EC PRIVATE KEY": return try KeyEncoding.privateKeyInfo(curve: block.content)
            case "ENCRYPTED PRIVATE KEY":
                throw CryptoError(.unsuitableKey, "the private key has a password: decrypt it first, with openssl pkcs8")
            default: continue
            }
        }
        throw CryptoError(.invalidKey, "the PEM text has no PRIVATE KEY")
    }

    /// The kind of key.
    public var kind: KeyKind { key.kind }

    /// The key in PKCS #8, to be kept secret.
    ///
    /// - Throws: `CryptoError.system`.
    package func der() throws -> Data { try key.der() }

    /// The key as PEM (PKCS #8), to be kept secret.
    ///
    /// - Throws: ``CryptoError/Code/system`` if the system does not export it.
    public func pem() throws -> Secret { Secret(PEMBlock(label: "PRIVATE KEY", content: try der()).text) }

    /// Signs a message: r and s of equal length for ECDSA, as in JOSE.
    ///
    /// - Throws: `CryptoError.unsuitableKey` if the algorithm does not suit the key.
    package func signature(of message: Data, algorithm: SignatureAlgorithm) throws -> Data {
        guard algorithm.suits(kind) else {
            throw CryptoError(.unsuitableKey, "\(algorithm.rawValue) needs another kind of key than \(kind)")
        }
        let signature = try key.sign(message, algorithm.hash)
        guard let length = kind.coordinateByteCount else { return signature }
        return try KeyEncoding.joinedSignature(der: signature, coordinateByteCount: length)
    }

    /// Decrypts a message that was encrypted by RSA-OAEP with an empty label; the mask uses the same hash.
    ///
    /// - Throws: `CryptoError.cannotDecrypt`; `unsuitableKey` for other keys than RSA.
    package func decrypt(_ ciphertext: Data, hash: HashAlgorithm) throws -> SecretData {
        guard case .rsa(let bits) = kind else { throw CryptoError(.unsuitableKey, "RSA-OAEP needs an RSA key, not \(kind)") }
        guard ciphertext.count == (bits + 7) / 8 else {
            throw CryptoError(.cannotDecrypt, "the ciphertext does not have the length of the RSA key")
        }
        return try key.decryptOAEP(ciphertext, hash)
    }

    /// The kind and the id.
    public var description: String { "private key \(id), \(kind)" }
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

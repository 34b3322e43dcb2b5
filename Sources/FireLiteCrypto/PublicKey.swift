import FireLiteCore
import Foundation

/// A public key. It verifies signatures and, with RSA, seals messages for the holder of the private key.
///
/// It is not secret, but whoever accepts one must know whose it is: compare ids over another channel.
public struct PublicKey: Sendable, Hashable, CustomStringConvertible {
    let key: SystemPublicKey
    /// The key's thumbprint (RFC 7638) with SHA-256, in base64url.
    public let id: String

    init(_ key: SystemPublicKey) throws {
        self.key = key
        // Only the required members are set here, which RFC 7638 wants sorted.
        id = HashAlgorithm.sha256.digest(of: try Self.sorted.encode(JSONWebKey(key))).base64URL
    }

    private static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Reads a PEM text with a public key or an X.509 certificate. Whether the certificate is valid is not checked.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey``, ``CryptoError/Code/unsuitableKey``.
    public init(pem: String) throws {
        for block in PEMBlock.all(in: Data(pem.utf8)) {
            switch block.label {
            case "PUBLIC KEY": try self.init(SystemPublicKey(der: block.content)); return
            case "RSA PUBLIC KEY": try self.init(SystemPublicKey(der: KeyEncoding.publicKeyInfo(rsa: block.content))); return
            case "CERTIFICATE": try self.init(SystemPublicKey(certificate: block.content)); return
            default: continue
            }
        }
        throw CryptoError(.invalidKey, "the PEM text has no PUBLIC KEY and no CERTIFICATE")
    }

    /// Reads a JSON Web Key (RFC 7517). Its `kid` is ignored: the id is computed.
    ///
    /// - Parameter jwk: the JSON of a key of type EC, on P-256 or P-384, or of type RSA.
    /// - Throws: ``CryptoError/Code/invalidKey``, ``CryptoError/Code/unsuitableKey``.
    public init(jwk: Data) throws { self = try JSONWebKey(json: jwk).publicKey() }

    /// Reads the key of an X.509 certificate in DER or PEM. Whether the certificate is valid is not checked.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey``, ``CryptoError/Code/unsuitableKey``.
    public init(certificate: Data) throws {
        let blocks = PEMBlock.all(in: certificate)
        if blocks.isEmpty { try self.init(SystemPublicKey(certificate: certificate)); return }
        guard let block = blocks.first(where: { $0.label == "CERTIFICATE" }) else {
            throw CryptoError(.invalidKey, "the PEM text has no CERTIFICATE")
        }
        try self.init(SystemPublicKey(certificate: block.content))
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280).
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(der: Data) throws { try self.init(SystemPublicKey(der: der)) }

    /// The kind of key.
    public var kind: KeyKind { key.kind }

    /// The algorithm of its signatures: ES256, ES384 or RS384, by the kind of key.
    public var algorithm: SignatureAlgorithm {
        switch kind {
        case .p256: .es256
        case .p384: .es384
        case .rsa: .rs384
        }
    }

    /// The key as SubjectPublicKeyInfo.
    package var der: Data { key.der }

    /// The key as PEM.
    public var pem: String { PEMBlock(label: "PUBLIC KEY", content: der).text }

    /// The key as a JSON Web Key, with its id and algorithm.
    ///
    /// - Throws: ``CryptoError/Code/system`` if the system does not export it.
    public var jwk: Data {
        get throws {
            var members = try JSONWebKey(key)
            (members.kid, members.alg, members.use) = (id, algorithm.rawValue, "sig")
            return try Self.sorted.encode(members)
        }
    }

    /// Whether a signature was made for a message with the private key.
    ///
    /// - Parameters:
    ///   - signature: as in JOSE: r and s of equal length with a curve.
    ///   - message: what was signed.
    public func isValid(signature: Data, of message: Data) -> Bool { isValid(signature: signature, of: message, algorithm: algorithm) }

    package func isValid(signature: Data, of message: Data, algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.suits(kind) else { return false }
        guard let length = kind.coordinateByteCount else { return key.verifies(signature, message, algorithm.hash) }
        guard signature.count == 2 * length else { return false }
        return key.verifies(KeyEncoding.signature(joined: signature), message, algorithm.hash)
    }

    /// Whether an ECDSA signature in DER (X9.62) was made for a message with the private key.
    ///
    /// - Parameters:
    ///   - derSignature: r and s in DER, as `openssl dgst -sign` makes them.
    ///   - message: what was signed.
    public func isValid(derSignature: Data, of message: Data) -> Bool {
        isValid(derSignature: derSignature, of: message, algorithm: algorithm)
    }

    package func isValid(derSignature: Data, of message: Data, algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.suits(kind), kind.coordinateByteCount != nil else { return false }
        return key.verifies(derSignature, message, algorithm.hash)
    }

    /// Encrypts a short message by RSA-OAEP (RFC 8017) with an empty label; the mask uses the same hash.
    ///
    /// - Throws: `CryptoError.unsuitableKey` for other keys than RSA, `invalidArgument` if the message is too long.
    package func encrypt(_ message: Data, hash: HashAlgorithm) throws -> Data {
        guard case .rsa(let bits) = kind else { throw CryptoError(.unsuitableKey, "RSA-OAEP needs an RSA key, not \(kind)") }
        guard message.count <= (bits + 7) / 8 - 2 * hash.byteCount - 2 else {
            throw CryptoError(.invalidArgument, "the message is too long for RSA-OAEP with this key")
        }
        return try key.encryptOAEP(message, hash)
    }

    /// Whether the keys have the same id.
    public static func == (left: PublicKey, right: PublicKey) -> Bool { left.id == right.id }
    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The algorithm and the id.
    public var description: String { "\(algorithm.rawValue) key \(id)" }
}

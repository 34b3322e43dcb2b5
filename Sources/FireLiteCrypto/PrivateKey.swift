import Foundation

/// A private key for signing and, with RSA, for decrypting.
package struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    let key: SystemPrivateKey

    /// Makes a new key.
    ///
    /// - Throws: `CryptoError.unsuitableKey` for an RSA modulus of less than 2048 bits.
    package init(_ kind: KeyKind) throws {
        if case .rsa(let bits) = kind, bits < KeyKind.minimumRSABits || bits > 16_384 {
            throw CryptoError(.unsuitableKey, "an RSA key has 2048 to 16384 bits")
        }
        key = try SystemPrivateKey(kind)
    }

    /// Reads a key in PKCS #8 (RFC 5208), without a password.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(der: Data) throws { key = try SystemPrivateKey(der: der) }

    /// Reads a PEM text with a private key: PKCS #8, PKCS #1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`, also for a key with a password.
    package init(pem: String) throws {
        for block in PEMBlock.all(in: Data(pem.utf8)) {
            switch block.label {
            case "PRIVATE KEY": self = try PrivateKey(der: block.content); return
            case "RSA PRIVATE KEY": self = try PrivateKey(der: KeyEncoding.privateKeyInfo(rsa: block.content)); return
            case "EC PRIVATE KEY": self = try PrivateKey(der: KeyEncoding.privateKeyInfo(curve: block.content)); return
            case "ENCRYPTED PRIVATE KEY":
                throw CryptoError(.unsuitableKey, "the private key has a password: decrypt it first, with openssl pkcs8")
            default: continue
            }
        }
        throw CryptoError(.invalidKey, "the PEM text has no PRIVATE KEY")
    }

    /// The kind of key.
    package var kind: KeyKind { key.kind }

    /// The public key.
    package var publicKey: PublicKey { PublicKey(key.publicKey) }

    /// The key in PKCS #8, to be kept secret.
    ///
    /// - Throws: `CryptoError.system`.
    package func der() throws -> Data { try key.der() }

    /// The key as PEM, to be kept secret.
    ///
    /// - Throws: `CryptoError.system`.
    package func pem() throws -> String { PEMBlock(label: "PRIVATE KEY", content: try der()).text }

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

    package var description: String { "private key, \(kind)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

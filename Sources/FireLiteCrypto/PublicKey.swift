import FireLiteCore
import Foundation

/// A public key for verifying signatures and, with RSA, for encrypting.
package struct PublicKey: Sendable, Equatable {
    let key: SystemPublicKey

    init(_ key: SystemPublicKey) { self.key = key }

    /// Reads a SubjectPublicKeyInfo (RFC 5280).
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(der: Data) throws { self.init(try SystemPublicKey(der: der)) }

    /// Reads the key of an X.509 certificate in DER or PEM. Whether the certificate is valid is not checked.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(certificate: Data) throws {
        let blocks = PEMBlock.all(in: certificate)
        if blocks.isEmpty { self.init(try SystemPublicKey(certificate: certificate)); return }
        guard let block = blocks.first(where: { $0.label == "CERTIFICATE" }) else {
            throw CryptoError(.invalidKey, "the PEM text has no CERTIFICATE")
        }
        self.init(try SystemPublicKey(certificate: block.content))
    }

    /// Reads a PEM text with a public key or a certificate.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package init(pem: String) throws {
        for block in PEMBlock.all(in: Data(pem.utf8)) {
            switch block.label {
            case "PUBLIC KEY": self.init(try SystemPublicKey(der: block.content)); return
            case "RSA PUBLIC KEY": self.init(try SystemPublicKey(der: KeyEncoding.publicKeyInfo(rsa: block.content))); return
            case "CERTIFICATE": self.init(try SystemPublicKey(certificate: block.content)); return
            default: continue
            }
        }
        throw CryptoError(.invalidKey, "the PEM text has no PUBLIC KEY and no CERTIFICATE")
    }

    /// The kind of key.
    package var kind: KeyKind { key.kind }

    /// The key as SubjectPublicKeyInfo.
    package var der: Data { key.der }

    /// The key as PEM.
    package var pem: String { PEMBlock(label: "PUBLIC KEY", content: der).text }

    /// Whether a signature was made for a message by the private key: r and s of equal length for ECDSA, as in JOSE.
    package func isValid(signature: Data, of message: Data, algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.suits(kind) else { return false }
        guard let length = kind.coordinateByteCount else { return key.verifies(signature, message, algorithm.hash) }
        guard signature.count == 2 * length else { return false }
        return key.verifies(KeyEncoding.signature(joined: signature), message, algorithm.hash)
    }

    /// Whether an ECDSA signature in DER was made for a message by the private key.
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

    package static func == (left: PublicKey, right: PublicKey) -> Bool { left.der == right.der }
}

extension PublicKey {
    /// The thumbprint of the key as a JSON Web Key (RFC 7638), with SHA-256.
    ///
    /// - Throws: `CryptoError.system`.
    package func thumbprint() throws -> String {
        // Only the required members are set here, which RFC 7638 wants sorted.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return HashAlgorithm.sha256.digest(of: try encoder.encode(JSONWebKey(self))).base64URL
    }
}

import FireLiteCore
import FireLiteCrypto
import Foundation

/// The recipient of envelopes: the holder of a certificate's private RSA key.
public struct EnvelopeRecipient: Sendable {
    /// The key's id at the recipient.
    public let keyID: String
    package let key: PublicKey

    /// Creates a recipient.
    ///
    /// - Parameters:
    ///   - certificate: an X.509 certificate with an RSA key, in DER or PEM. Whether it is valid is not checked: take it from a place
    ///     that you trust.
    ///   - keyID: the key's id at the recipient.
    /// - Throws: ``EnvelopeError/Code/invalidKey``.
    public init(certificate: Data, keyID: String) throws {
        do { key = try PublicKey(certificate: certificate) } catch let error as CryptoError {
            throw EnvelopeError(.invalidKey, error.description)
        }
        guard case .rsa = key.kind else {
            throw EnvelopeError(.invalidKey, "an envelope needs a certificate with an RSA key, not \(key.kind)")
        }
        self.keyID = keyID
    }

    /// The id of the key that an envelope is for; nil if it names none, or is not an envelope.
    public static func keyID(of envelope: Data) -> String? { JWEParts(envelope)?.header["kid"]?.text }

    /// Seals a message as a JWE in its compact form (RFC 7516): a fresh key each time by `RSA-OAEP-256`, the content by `A256GCM`.
    ///
    /// - Parameters:
    ///   - message: the message as it was received.
    ///   - contentType: the message's media type, which anybody can read.
    /// - Throws: ``EnvelopeError/Code/cannotSeal`` if the system's cryptography fails.
    public func seal(_ message: Data, contentType: String = "application/fhir+json") throws -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let header = try encoder.encode(["alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": keyID, "cty": contentType]).base64URL
            let contentKey = try SecretData.random(count: 32)
            let nonce = try RandomBytes.make(AESGCM.nonceByteCount)
            let encryptedKey = try contentKey.withBytes { try key.encrypt(Data($0), hash: .sha256) }
            let sealed = try AESGCM.seal(message, key: contentKey, nonce: nonce, authenticating: Data(header.utf8))
            let parts = [header, encryptedKey.base64URL, nonce.base64URL, sealed.ciphertext.base64URL, sealed.tag.base64URL]
            return Data(parts.joined(separator: ".").utf8)
        } catch { throw EnvelopeError(.cannotSeal, "the message cannot be sealed: \(error)") }
    }
}

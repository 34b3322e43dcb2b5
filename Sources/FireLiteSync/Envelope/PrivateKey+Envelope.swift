import FireLiteCrypto
import Foundation

extension PrivateKey {
    /// Opens an envelope with this RSA key, for servers and tests: a JWE with `RSA-OAEP-256` and `A256GCM`.
    ///
    /// - Returns: the message.
    /// - Throws: ``EnvelopeError/Code/invalidKey`` for other keys than RSA; ``EnvelopeError/Code/cannotOpen``, with the same text whatever
    ///   the reason.
    public func openEnvelope(_ envelope: Data) throws -> Data {
        try openingEnvelope {
            guard let parts = JWEParts(envelope) else { throw EnvelopeError(.cannotOpen, "") }
            return try open(parts)
        }
    }

    /// Which step failed would help an attacker who can try many envelopes, so that no error tells it.
    package func openingEnvelope(_ body: () throws -> Data) throws -> Data {
        guard case .rsa = kind else { throw EnvelopeError(.invalidKey, "an envelope needs an RSA key, not \(kind)") }
        do { return try body() } catch {
            throw EnvelopeError(.cannotOpen, "the envelope was changed, is for another key, or is no envelope")
        }
    }

    private func open(_ parts: JWEParts) throws -> Data {
        guard parts.header["alg"]?.text == "RSA-OAEP-256", parts.header["enc"]?.text == "A256GCM", parts.header["zip"] == nil,
            parts.header["crit"] == nil
        else { throw EnvelopeError(.cannotOpen, "") }
        let contentKey = try decrypt(parts.encryptedKey, hash: .sha256)
        guard contentKey.count == 32 else { throw EnvelopeError(.cannotOpen, "") }
        return try AESGCM.open(
            parts.ciphertext, tag: parts.tag, key: contentKey, nonce: parts.nonce, authenticating: parts.authenticated)
    }
}

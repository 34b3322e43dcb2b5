import FireLiteCrypto
import Foundation

/// The private key that opens envelopes, for servers and tests.
public struct EnvelopeKey: Sendable, CustomStringConvertible, CustomReflectable {
    package let key: PrivateKey

    /// Reads a key.
    ///
    /// - Parameter pem: a private RSA key in PKCS #8 or PKCS #1, without a password.
    /// - Throws: ``EnvelopeError/Code/invalidKey``.
    public init(pem: Secret) throws {
        try self.init { try PrivateKey(pem: pem.value) }
    }

    /// Reads a key in JSON (RFC 7517).
    ///
    /// - Parameter json: a JSON Web Key with its private members.
    /// - Throws: ``EnvelopeError/Code/invalidKey``.
    public init(json: Data) throws {
        let decoded: JSONWebKey
        do { decoded = try JSONDecoder().decode(JSONWebKey.self, from: json) } catch {
            throw EnvelopeError(.invalidKey, "the key is not a JSON Web Key")
        }
        try self.init { try decoded.privateKey() }
    }

    private init(_ read: () throws -> PrivateKey) throws {
        do { key = try read() } catch let error as CryptoError { throw EnvelopeError(.invalidKey, error.description) }
        guard case .rsa = key.kind else { throw EnvelopeError(.invalidKey, "an envelope needs an RSA key, not \(key.kind)") }
    }

    /// The id of the key that an envelope is for; nil if it names none, or is no envelope.
    public static func keyID(of envelope: Data) -> String? {
        JWEParts(envelope)?.header["kid"]?.text
    }

    /// Opens an envelope: a JWE with `RSA-OAEP-256` and `A256GCM`.
    ///
    /// - Parameter envelope: the envelope.
    /// - Returns: the message.
    /// - Throws: ``EnvelopeError/Code/cannotOpen``, with the same text whatever the reason.
    public func open(_ envelope: Data) throws -> Data {
        try Self.opened {
            guard let parts = JWEParts(envelope) else { throw EnvelopeError(.cannotOpen, "") }
            return try open(parts)
        }
    }

    /// Which step failed would help an attacker who can try many envelopes, so that no error tells it.
    package static func opened(_ body: () throws -> Data) throws -> Data {
        do { return try body() } catch {
            throw EnvelopeError(.cannotOpen, "the envelope was changed, is for another key, or is no envelope")
        }
    }

    private func open(_ parts: JWEParts) throws -> Data {
        guard parts.header["alg"]?.text == "RSA-OAEP-256", parts.header["enc"]?.text == "A256GCM", parts.header["zip"] == nil,
            parts.header["crit"] == nil
        else { throw EnvelopeError(.cannotOpen, "") }
        let contentKey = try key.decrypt(parts.encryptedKey, hash: .sha256)
        guard contentKey.count == 32 else { throw EnvelopeError(.cannotOpen, "") }
        return try AESGCM.open(
            parts.ciphertext, tag: parts.tag, key: contentKey, nonce: parts.nonce, authenticating: parts.authenticated)
    }

    /// The kind of key.
    public var description: String { "envelope key" }
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

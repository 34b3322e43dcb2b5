import FireLiteCrypto
import Foundation

/// AES-256-GCM with the nonce in front and the tag at the end: the form of everything that is sealed.
package enum SealedBytes {
    /// A new key of 256 bits.
    ///
    /// - Throws: `CryptoError.system`.
    package static func newKey() throws -> SecretData { try SecretData.random(count: 32) }

    /// Seals a message with a random nonce.
    ///
    /// - Parameters:
    ///   - message: the plaintext.
    ///   - key: 32 bytes.
    ///   - context: the authenticated data; opening needs the same.
    /// - Throws: `CryptoError`.
    package static func seal(_ message: Data, key: SecretData, context: Data) throws -> Data {
        let nonce = try RandomBytes.make(AESGCM.nonceByteCount)
        let sealed = try AESGCM.seal(message, key: key, nonce: nonce, authenticating: context)
        return nonce + sealed.ciphertext + sealed.tag
    }

    /// Opens what `seal` made.
    ///
    /// - Parameter failure: the error if the bytes, the key or the context are others.
    /// - Throws: `failure`; `CryptoError` of the system.
    package static func open(_ sealed: Data, key: SecretData, context: Data, failure: () -> any Error) throws -> Data {
        let bytes = sealed.startIndex == 0 ? sealed : Data(sealed)
        guard bytes.count >= AESGCM.nonceByteCount + AESGCM.tagByteCount else { throw failure() }
        let end = bytes.count - AESGCM.tagByteCount
        do {
            return try AESGCM.open(
                Data(bytes[AESGCM.nonceByteCount..<end]), tag: Data(bytes[end...]), key: key,
                nonce: Data(bytes[..<AESGCM.nonceByteCount]), authenticating: context)
        } catch let error as CryptoError where error.code == .cannotDecrypt {
            throw failure()
        }
    }
}

/// A record's key, sealed by a common key.
package struct WrappedKey: Sendable, Equatable {
    /// The id of the common key.
    package let commonID: String
    /// Nonce, ciphertext and tag.
    package let bytes: Data

    package init(commonID: String, bytes: Data) {
        self.commonID = commonID
        self.bytes = bytes
    }
}

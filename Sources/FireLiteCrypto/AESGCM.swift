import FireLiteCore
import Foundation

/// AES in Galois/Counter Mode (NIST SP 800-38D) with a nonce of 96 bits and a tag of 128 bits.
package enum AESGCM {
    /// The number of bytes of a nonce.
    package static let nonceByteCount = 12
    /// The number of bytes of a tag.
    package static let tagByteCount = 16

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - message: the plaintext.
    ///   - key: 16, 24 or 32 bytes.
    ///   - nonce: 12 bytes that were never used with this key.
    ///   - context: what is authenticated with the message and not encrypted.
    /// - Throws: `CryptoError.unsuitableKey`, `invalidArgument`.
    package static func seal(
        _ message: Data, key: SecretData, nonce: Data, authenticating context: Data = Data()
    ) throws -> (ciphertext: Data, tag: Data) {
        try check(key, nonce)
        return try SystemCryptography.sealGCM(message, key: key, nonce: nonce, context: context)
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - ciphertext: as many bytes as the message.
    ///   - tag: 16 bytes.
    ///   - key: 16, 24 or 32 bytes.
    ///   - nonce: 12 bytes.
    ///   - context: what was authenticated with the message.
    /// - Throws: `CryptoError.cannotDecrypt` if anything differs from what was sealed.
    package static func open(
        _ ciphertext: Data, tag: Data, key: SecretData, nonce: Data, authenticating context: Data = Data()
    ) throws -> Data {
        try check(key, nonce)
        guard tag.count == tagByteCount else { throw CryptoError(.cannotDecrypt, "the tag of the ciphertext does not have 16 bytes") }
        return try SystemCryptography.openGCM(ciphertext, tag: tag, key: key, nonce: nonce, context: context)
    }

    private static func check(_ key: SecretData, _ nonce: Data) throws {
        guard [16, 24, 32].contains(key.count) else { throw CryptoError(.unsuitableKey, "an AES key has 16, 24 or 32 bytes") }
        guard nonce.count == nonceByteCount else { throw CryptoError(.invalidArgument, "a nonce for AES-GCM has 12 bytes") }
    }
}

import FireLiteCore
import Foundation

/// AES in Cipher Block Chaining mode (NIST SP 800-38A) with PKCS #7 padding.
///
/// Only for the old form of envelopes: nothing shows whether a ciphertext was changed.
package enum LegacyAESCBC {
    /// The number of bytes of an initialization vector.
    package static let vectorByteCount = 16

    /// Encrypts a message.
    ///
    /// - Throws: `CryptoError.unsuitableKey`, `invalidArgument`.
    package static func encrypt(_ message: Data, key: SecretData, vector: Data) throws -> Data {
        try check(key, vector)
        return try SystemCryptography.cryptCBC(message, key: key, vector: vector, encrypts: true)
    }

    /// Decrypts a message.
    ///
    /// - Throws: `CryptoError.cannotDecrypt` if the padding is wrong.
    package static func decrypt(_ ciphertext: Data, key: SecretData, vector: Data) throws -> Data {
        try check(key, vector)
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else {
            throw CryptoError(.cannotDecrypt, "the length of the ciphertext is not a multiple of 16 bytes")
        }
        return try SystemCryptography.cryptCBC(ciphertext, key: key, vector: vector, encrypts: false)
    }

    private static func check(_ key: SecretData, _ vector: Data) throws {
        guard [16, 24, 32].contains(key.count) else { throw CryptoError(.unsuitableKey, "an AES key has 16, 24 or 32 bytes") }
        guard vector.count == vectorByteCount else { throw CryptoError(.invalidArgument, "a vector for AES-CBC has 16 bytes") }
    }
}

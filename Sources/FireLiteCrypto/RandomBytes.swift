import Foundation

/// Random bytes that may become public: nonces, states, identifiers.
package enum RandomBytes {
    /// Bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func make(_ count: Int) throws -> Data { try SecretData.random(count: count).withBytes { Data($0) } }

    /// Fills memory with bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func fill(_ memory: UnsafeMutableRawBufferPointer) throws { try SystemCryptography.fillRandomly(memory) }
}

import FireLiteCore
import Foundation

extension SecretData {
    /// Random bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func random(count: Int) throws -> SecretData { try SecretData(count: count, SystemCryptography.fillRandomly) }
}

/// Comparisons that take the same time wherever the values differ.
package enum ConstantTime {
    /// Whether two values have the same bytes. Only their lengths may be found out by the time it takes.
    package static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in right.withUnsafeBytes { SystemCryptography.areEqual(left, $0) } }
    }
}

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

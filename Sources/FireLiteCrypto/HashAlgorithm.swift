import FireLiteCore
import Foundation

/// A hash function of the SHA family (FIPS 180-4), with what is built on it.
package enum HashAlgorithm: String, Sendable, CaseIterable {
    /// For RSA-OAEP in the old form of envelopes and for certificate thumbprints; not for signatures.
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    /// For checksums of packages.
    case sha512 = "SHA-512"

    /// The number of bytes of a digest.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of a message.
    package func digest(of message: Data) -> Data { SystemCryptography.digest(message, self) }

    /// The digest of bytes in memory, without a copy of them.
    package func digest(of message: UnsafeRawBufferPointer) -> [UInt8] { SystemCryptography.digest(message, self) }

    /// The HMAC (RFC 2104) of a message.
    package func authenticationCode(of message: Data, key: SecretData) -> Data {
        SystemCryptography.authenticationCode(message, key: key, self)
    }

    /// Whether a code is the HMAC of a message, compared in constant time.
    package func isValid(authenticationCode code: Data, of message: Data, key: SecretData) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(of: message, key: key))
    }

    /// A key derived from another secret by HKDF (RFC 5869).
    ///
    /// - Parameters:
    ///   - secret: the input keying material.
    ///   - salt: may be empty.
    ///   - info: what the key is for.
    ///   - byteCount: at most 255 times the length of a digest.
    /// - Throws: `CryptoError.invalidArgument` if too many bytes are asked for.
    package func derivedKey(from secret: SecretData, salt: Data, info: Data, byteCount: Int) throws -> SecretData {
        guard byteCount > 0, byteCount <= 255 * self.byteCount else {
            throw CryptoError(.invalidArgument, "HKDF with \(rawValue) makes 1 to \(255 * self.byteCount) bytes, not \(byteCount)")
        }
        return try SystemCryptography.derivedKey(from: secret, salt: salt, info: info, byteCount: byteCount, self)
    }
}

/// The SHA-256 of bytes that come in pieces.
package final class RunningDigest {
    private var state: SystemCryptography.RunningSHA256

    package init() { state = SystemCryptography.RunningSHA256() }

    /// Adds bytes.
    package func update(_ bytes: some ContiguousBytes) { bytes.withUnsafeBytes { state.update($0) } }

    /// The digest of all bytes. Nothing can be added afterwards.
    package func finish() -> Data { state.finish() }
}

/// SHA-256 of one short message after another, with the memory of the first.
///
/// It must not be used by two threads at once.
package final class SHA256Hasher {
    private let state = SystemCryptography.RepeatedSHA256()

    package init() {}

    /// Writes the 32 bytes of a message's digest, which may overwrite the message.
    package func digest(of message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) { state.digest(message, into: digest) }
}

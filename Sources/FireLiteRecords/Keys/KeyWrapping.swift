import FireLiteCrypto
import Foundation

/// Keys wrapped for the RSA key of a device or user, with RSA-OAEP and SHA-256.
enum KeyWrapping {
    /// Wraps a secret for a public key.
    ///
    /// - Throws: `RecordError`: `invalidArgument`, `system`.
    static func wrap(_ secret: SecretData, for key: PublicKey) throws -> Data {
        do { return try secret.withBytes { try key.encrypt(Data($0), hash: .sha256) } } catch let error as CryptoError {
            throw RecordError(error.code == .system ? .system : .invalidArgument, "the public key cannot be used: \(error.message)")
        }
    }

    /// Opens a secret that was wrapped for a private key.
    ///
    /// - Throws: `RecordError`: `invalidArgument` for other keys than RSA, `cannotOpen`, `system`.
    static func unwrap(_ wrapped: Data, with key: PrivateKey) throws -> SecretData {
        do { return try key.decrypt(wrapped, hash: .sha256) } catch let error as CryptoError {
            switch error.code {
            case .system: throw RecordError(.system, error.message)
            case .unsuitableKey: throw RecordError(.invalidArgument, "a private key for common keys is RSA, not \(key.kind)")
            default: throw RecordError(.cannotOpen, "the wrapped key was changed, or is for another private key")
            }
        }
    }
}

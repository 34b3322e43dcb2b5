import FireLiteCore
import Foundation

extension PublicKey {
    /// The thumbprint of the key as a JSON Web Key (RFC 7638), with SHA-256.
    ///
    /// - Throws: `CryptoError.system`.
    package func thumbprint() throws -> String {
        // Only the required members are set here, which RFC 7638 wants sorted.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return HashAlgorithm.sha256.digest(of: try encoder.encode(JSONWebKey(self))).base64URL
    }
}

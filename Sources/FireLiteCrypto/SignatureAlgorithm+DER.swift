import Foundation

extension SignatureAlgorithm {
    /// An ECDSA signature in DER (X9.62) from r and s of equal length, as in JOSE.
    package static func derSignature(joined signature: Data) -> Data { KeyEncoding.signature(joined: signature) }

    /// r and s of equal length, as in JOSE, from an ECDSA signature in DER (X9.62).
    ///
    /// - Throws: `CryptoError`.
    package func joinedSignature(der: Data) throws -> Data {
        switch self {
        case .es256: try KeyEncoding.joinedSignature(der: der, coordinateByteCount: 32)
        case .es384: try KeyEncoding.joinedSignature(der: der, coordinateByteCount: 48)
        case .rs256, .rs384: throw CryptoError(.unsuitableKey, "\(rawValue) has no signatures in DER")
        }
    }
}

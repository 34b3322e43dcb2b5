import FireLiteCrypto

/// A signature algorithm (RFC 7518). `none` and those with shared secrets are never accepted.
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// RSA with SHA-384, for verification.
    case rs384 = "RS384"

    var signature: SignatureAlgorithm {
        switch self {
        case .es256: .es256
        case .es384: .es384
        case .rs384: .rs384
        }
    }
}

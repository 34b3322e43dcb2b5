import Foundation

/// A signature algorithm by its name in JOSE (RFC 7518). `none` and those with shared secrets are never accepted.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// RSA (RSASSA-PKCS1-v1_5) with SHA-256, for servers that know no other; not part of SMART.
    case rs256 = "RS256"
    /// RSA (RSASSA-PKCS1-v1_5) with SHA-384.
    case rs384 = "RS384"

    /// The hash function.
    package var hash: HashAlgorithm {
        switch self {
        case .es256, .rs256: .sha256
        case .es384, .rs384: .sha384
        }
    }

    /// The kind of a new key for such signatures.
    package var keyKind: KeyKind {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .rs256, .rs384: .rsa()
        }
    }

    /// Whether keys of a kind make such signatures.
    package func suits(_ kind: KeyKind) -> Bool {
        switch (self, kind) {
        case (.es256, .p256), (.es384, .p384), (.rs256, .rsa), (.rs384, .rsa): true
        default: false
        }
    }
}

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

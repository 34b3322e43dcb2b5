/// The kind of a key pair.
public enum KeyKind: Sendable, Hashable, CustomStringConvertible {
    /// The curve P-256 of FIPS 186-4. It signs.
    case p256
    /// The curve P-384 of FIPS 186-4. It signs.
    case p384
    /// RSA with a modulus of this number of bits, at least 2048. It signs, and opens what was sealed for it.
    case rsa(bits: Int = 3072)

    /// The smallest RSA modulus that is accepted (NIST SP 800-131A).
    package static let minimumRSABits = 2048

    /// The name of the curve, or `RSA` with the number of bits.
    public var description: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .rsa(let bits): "RSA-\(bits)"
        }
    }

    /// The number of bytes of a coordinate, for a curve.
    var coordinateByteCount: Int? {
        switch self {
        case .p256: 32
        case .p384: 48
        case .rsa: nil
        }
    }
}

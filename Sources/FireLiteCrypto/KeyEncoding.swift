import Foundation

/// Keys and signatures from one standard's form to another's; no values are computed.
enum KeyEncoding {
    private static let rsaEncryption = DER.sequence(
        DER.value(DER.objectIdentifier, Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])), Data([0x05, 0x00]))
    private static let ecPublicKey = DER.value(DER.objectIdentifier, Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]))
    private static let p256 = DER.value(DER.objectIdentifier, Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))
    private static let p384 = DER.value(DER.objectIdentifier, Data([0x2B, 0x81, 0x04, 0x00, 0x22]))

    // MARK: - Public keys

    /// A SubjectPublicKeyInfo with an RSAPublicKey of PKCS #1.
    static func publicKeyInfo(rsa key: Data) -> Data { DER.sequence(rsaEncryption, DER.bitString(key)) }

    /// A SubjectPublicKeyInfo with an RSA key's modulus and exponent.
    static func publicKeyInfo(modulus: Data, exponent: Data) -> Data {
        publicKeyInfo(rsa: DER.sequence(DER.integer(modulus), DER.integer(exponent)))
    }

    /// A SubjectPublicKeyInfo with a point of a curve.
    static func publicKeyInfo(_ kind: KeyKind, x: Data, y: Data) -> Data {
        DER.sequence(DER.sequence(ecPublicKey, kind == .p384 ? p384 : p256), DER.bitString(Data([4]) + x + y))
    }

    /// What a SubjectPublicKeyInfo holds: an RSAPublicKey, or a point.
    static func content(ofPublicKeyInfo der: Data) -> Data? {
        var outer = DER.Reader(der)
        guard let info = outer.read(DER.sequence) else { return nil }
        var reader = DER.Reader(info)
        guard reader.read(DER.sequence) != nil, let bits = reader.read(DER.bitString), bits.first == 0 else { return nil }
        return Data(bits.dropFirst())
    }

    /// The modulus and the exponent of an RSAPublicKey.
    static func rsaParts(_ key: Data) -> (modulus: Data, exponent: Data)? {
        var outer = DER.Reader(key)
        guard let parts = outer.read(DER.sequence) else { return nil }
        var reader = DER.Reader(parts)
        guard let modulus = reader.readInteger(), let exponent = reader.readInteger() else { return nil }
        return (modulus, exponent)
    }

    // MARK: - Private keys

    /// A PrivateKeyInfo of PKCS #8 with an RSAPrivateKey of PKCS #1.
    static func privateKeyInfo(rsa key: Data) -> Data {
        DER.sequence(DER.integer(Data()), rsaEncryption, DER.value(DER.octetString, key))
    }

    /// A PrivateKeyInfo of PKCS #8 with an ECPrivateKey of SEC 1 (RFC 5915), which names its curve.
    ///
    /// - Throws: `CryptoError.unsuitableKey` for another curve than P-256 and P-384.
    static func privateKeyInfo(curve key: Data) throws -> Data {
        var outer = DER.Reader(key)
        var reader = DER.Reader(outer.read(DER.sequence) ?? Data())
        guard reader.readInteger() == Data([1]), reader.read(DER.octetString) != nil, let curve = reader.read(0xA0),
            curve == p256 || curve == p384
        else { throw CryptoError(.unsuitableKey, "the EC PRIVATE KEY is not on P-256 or P-384") }
        return DER.sequence(DER.integer(Data()), DER.sequence(ecPublicKey, curve), DER.value(DER.octetString, key))
    }

    /// A PrivateKeyInfo of PKCS #8 with a private scalar and its point.
    static func privateKeyInfo(_ kind: KeyKind, scalar: Data, x: Data, y: Data) -> Data {
        let curve = kind == .p384 ? p384 : p256
        let point = DER.value(0xA1, DER.bitString(Data([4]) + x + y))
        let key = DER.sequence(DER.integer(Data([1])), DER.value(DER.octetString, scalar), DER.value(0xA0, curve), point)
        return DER.sequence(DER.integer(Data()), DER.sequence(ecPublicKey, curve), DER.value(DER.octetString, key))
    }

    /// What a PrivateKeyInfo holds: an RSAPrivateKey or an ECPrivateKey.
    static func content(ofPrivateKeyInfo der: Data) -> Data? {
        var outer = DER.Reader(der)
        var reader = DER.Reader(outer.read(DER.sequence) ?? Data())
        guard reader.readInteger() != nil, reader.read(DER.sequence) != nil else { return nil }
        return reader.read(DER.octetString)
    }

    // MARK: - Signatures

    /// The DER of an ECDSA signature that is r and s of equal length.
    static func signature(joined signature: Data) -> Data {
        let length = signature.count / 2
        return DER.sequence(DER.integer(Data(signature.prefix(length))), DER.integer(Data(signature.suffix(length))))
    }

    /// r and s of equal length from the DER of an ECDSA signature.
    static func joinedSignature(der: Data, coordinateByteCount: Int) throws -> Data {
        var outer = DER.Reader(der)
        var reader = DER.Reader(outer.read(DER.sequence) ?? Data())
        guard let r = reader.readInteger(), let s = reader.readInteger(), r.count <= coordinateByteCount, s.count <= coordinateByteCount
        else { throw CryptoError(.system, "the system made a signature that cannot be read") }
        func padded(_ value: Data) -> Data { Data(repeating: 0, count: coordinateByteCount - value.count) + value }
        return padded(r) + padded(s)
    }
}

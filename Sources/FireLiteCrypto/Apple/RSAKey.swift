#if canImport(Security)
    import Foundation
    import Security

    /// RSA by the Security framework. Written from Apple's documentation and not tried yet.
    enum RSAKey {
        static func make(bits: Int) throws -> SecKey {
            let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: bits] as [CFString: Any]
            guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil) else {
                throw CryptoError(.system, "the Security framework cannot make an RSA key")
            }
            return key
        }

        /// Reads an RSAPublicKey or RSAPrivateKey of PKCS #1.
        static func read(_ content: Data, _ keyClass: CFString) throws -> SecKey {
            let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: keyClass]
            guard let key = SecKeyCreateWithData(content as CFData, attributes as CFDictionary, nil) else {
                throw CryptoError(.invalidKey, "the RSA key cannot be read")
            }
            return try checked(key)
        }

        static func checked(_ key: SecKey) throws -> SecKey {
            let attributes = SecKeyCopyAttributes(key) as? [CFString: Any]
            guard attributes?[kSecAttrKeyType] as? String == kSecAttrKeyTypeRSA as String else {
                throw CryptoError(.unsuitableKey, "a key is RSA, or on the curve P-256 or P-384")
            }
            guard bits(of: key) >= KeyKind.minimumRSABits else {
                throw CryptoError(.unsuitableKey, "an RSA key has at least 2048 bits, not \(bits(of: key))")
            }
            return key
        }

        static func bits(of key: SecKey) -> Int { SecKeyGetBlockSize(key) * 8 }

        static func signatureAlgorithm(_ hash: HashAlgorithm) -> SecKeyAlgorithm {
            switch hash {
            case .sha1: .rsaSignatureMessagePKCS1v15SHA1
            case .sha256: .rsaSignatureMessagePKCS1v15SHA256
            case .sha384: .rsaSignatureMessagePKCS1v15SHA384
            case .sha512: .rsaSignatureMessagePKCS1v15SHA512
            }
        }

        static func encryptionAlgorithm(_ hash: HashAlgorithm) -> SecKeyAlgorithm {
            switch hash {
            case .sha1: .rsaEncryptionOAEPSHA1
            case .sha256: .rsaEncryptionOAEPSHA256
            case .sha384: .rsaEncryptionOAEPSHA384
            case .sha512: .rsaEncryptionOAEPSHA512
            }
        }
    }
#endif

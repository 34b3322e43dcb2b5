#if canImport(CryptoKit) || FIRELITE_SWIFT_CRYPTO
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif
    import FireLiteCore
    import Foundation
    #if canImport(Security)
        import Security
    #endif

    /// A private key of CryptoKit, or of the Security framework for RSA.
    ///
    /// `@unchecked Sendable`: a `SecKey` never changes.
    struct SystemPrivateKey: @unchecked Sendable {
        private enum Key {
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            #if canImport(Security)
                case rsa(SecKey)
            #endif
        }

        private let key: Key

        init(_ kind: KeyKind) throws {
            switch kind {
            case .p256: key = .p256(P256.Signing.PrivateKey())
            case .p384: key = .p384(P384.Signing.PrivateKey())
            case .rsa(let bits):
                #if canImport(Security)
                    key = .rsa(try RSAKey.make(bits: bits))
                #else
                    throw CryptoError(.system, "RSA needs the Security framework")
                #endif
            }
        }

        init(der: Data) throws {
            if let curve = try? P256.Signing.PrivateKey(derRepresentation: der) {
                key = .p256(curve)
            } else if let curve = try? P384.Signing.PrivateKey(derRepresentation: der) {
                key = .p384(curve)
            } else {
                #if canImport(Security)
                    guard let content = KeyEncoding.content(ofPrivateKeyInfo: der) else {
                        throw CryptoError(.invalidKey, "the private key cannot be read")
                    }
                    key = .rsa(try RSAKey.read(content, kSecAttrKeyClassPrivate))
                #else
                    throw CryptoError(.invalidKey, "the private key cannot be read")
                #endif
            }
        }

        var kind: KeyKind {
            switch key {
            case .p256: .p256
            case .p384: .p384
            #if canImport(Security)
                case .rsa(let key): .rsa(bits: RSAKey.bits(of: key))
            #endif
            }
        }

        var publicKey: SystemPublicKey {
            switch key {
            case .p256(let key): return SystemPublicKey(.p256(key.publicKey))
            case .p384(let key): return SystemPublicKey(.p384(key.publicKey))
            #if canImport(Security)
                case .rsa(let key):
                    guard let publicKey = SecKeyCopyPublicKey(key) else {
                        // Invariant: a private RSA key has its public exponent.
                        preconditionFailure("the Security framework gives no public key")
                    }
                    return SystemPublicKey(.rsa(publicKey))
            #endif
            }
        }

        func der() throws -> Data {
            switch key {
            case .p256(let key): return key.derRepresentation
            case .p384(let key): return key.derRepresentation
            #if canImport(Security)
                case .rsa(let key):
                    guard let content = SecKeyCopyExternalRepresentation(key, nil) as Data? else {
                        throw CryptoError(.system, "the Security framework cannot encode a private key")
                    }
                    return KeyEncoding.privateKeyInfo(rsa: content)
            #endif
            }
        }

        func sign(_ message: Data, _ hash: HashAlgorithm) throws -> Data {
            switch key {
            case .p256(let key): return try key.signature(for: SHA256.hash(data: message)).derRepresentation
            case .p384(let key): return try key.signature(for: SHA384.hash(data: message)).derRepresentation
            #if canImport(Security)
                case .rsa(let key):
                    guard let signature = SecKeyCreateSignature(key, RSAKey.signatureAlgorithm(hash), message as CFData, nil) as Data?
                    else {
                        throw CryptoError(.system, "the Security framework cannot sign")
                    }
                    return signature
            #endif
            }
        }

        func decryptOAEP(_ ciphertext: Data, _ hash: HashAlgorithm) throws -> SecretData {
            #if canImport(Security)
                if case .rsa(let key) = key,
                    let message = SecKeyCreateDecryptedData(key, RSAKey.encryptionAlgorithm(hash), ciphertext as CFData, nil) as Data?
                {
                    return SecretData(message)
                }
            #endif
            throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted for another key")
        }
    }
#endif

#if canImport(CryptoKit) || FIRELITE_SWIFT_CRYPTO
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif
    import Foundation
    #if canImport(Security)
        import Security
    #endif

    /// A public key of CryptoKit, or of the Security framework for RSA.
    ///
    /// `@unchecked Sendable`: a `SecKey` never changes.
    struct SystemPublicKey: @unchecked Sendable {
        enum Key {
            case p256(P256.Signing.PublicKey)
            case p384(P384.Signing.PublicKey)
            #if canImport(Security)
                case rsa(SecKey)
            #endif
        }

        let key: Key

        init(_ key: Key) { self.key = key }

        init(der: Data) throws {
            if let curve = try? P256.Signing.PublicKey(derRepresentation: der) {
                key = .p256(curve)
            } else if let curve = try? P384.Signing.PublicKey(derRepresentation: der) {
                key = .p384(curve)
            } else {
                #if canImport(Security)
                    guard let content = KeyEncoding.content(ofPublicKeyInfo: der), KeyEncoding.rsaParts(content) != nil else {
                        throw CryptoError(.invalidKey, "the public key cannot be read")
                    }
                    key = .rsa(try RSAKey.read(content, kSecAttrKeyClassPublic))
                #else
                    throw CryptoError(.invalidKey, "the public key cannot be read")
                #endif
            }
        }

        init(certificate: Data) throws {
            #if canImport(Security)
                guard let certificate = SecCertificateCreateWithData(nil, certificate as CFData),
                    let key = SecCertificateCopyKey(certificate),
                    let content = SecKeyCopyExternalRepresentation(key, nil) as Data?
                else { throw CryptoError(.invalidKey, "the certificate cannot be read") }
                switch content.count {
                case 65 where content.first == 4: self.key = .p256(try P256.Signing.PublicKey(x963Representation: content))
                case 97 where content.first == 4: self.key = .p384(try P384.Signing.PublicKey(x963Representation: content))
                default: self.key = .rsa(try RSAKey.checked(key))
                }
            #else
                throw CryptoError(.system, "certificates need the Security framework")
            #endif
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

        var der: Data {
            switch key {
            case .p256(let key): key.derRepresentation
            case .p384(let key): key.derRepresentation
            #if canImport(Security)
                case .rsa(let key): KeyEncoding.publicKeyInfo(rsa: SecKeyCopyExternalRepresentation(key, nil) as Data? ?? Data())
            #endif
            }
        }

        func verifies(_ signature: Data, _ message: Data, _ hash: HashAlgorithm) -> Bool {
            switch key {
            case .p256(let key):
                guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
                return key.isValidSignature(signature, for: SHA256.hash(data: message))
            case .p384(let key):
                guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
                return key.isValidSignature(signature, for: SHA384.hash(data: message))
            #if canImport(Security)
                case .rsa(let key):
                    return SecKeyVerifySignature(key, RSAKey.signatureAlgorithm(hash), message as CFData, signature as CFData, nil)
            #endif
            }
        }

        func encryptOAEP(_ message: Data, _ hash: HashAlgorithm) throws -> Data {
            #if canImport(Security)
                if case .rsa(let key) = key,
                    let ciphertext = SecKeyCreateEncryptedData(key, RSAKey.encryptionAlgorithm(hash), message as CFData, nil) as Data?
                {
                    return ciphertext
                }
            #endif
            throw CryptoError(.system, "the Security framework cannot encrypt with RSA-OAEP")
        }
    }
#endif

#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import Foundation

    /// A public key of libcrypto.
    struct SystemPublicKey: Sendable {
        let key: SystemKey

        init(_ key: SystemKey) { self.key = key }

        init(der: Data) throws {
            let pointer = der.withUnsafeBytes { memory -> OpaquePointer? in
                var place = SystemCryptography.bytes(memory)
                guard let key = d2i_PUBKEY(nil, &place, memory.count) else { return nil }
                // Bytes after the key would mean that it is something else.
                if place == SystemCryptography.bytes(memory).map({ $0 + memory.count }) { return key }
                EVP_PKEY_free(key)
                return nil
            }
            ERR_clear_error()
            guard let pointer else { throw CryptoError(.invalidKey, "the public key cannot be read") }
            key = try SystemKey(owning: pointer)
        }

        init(certificate: Data) throws {
            let pointer = certificate.withUnsafeBytes { memory -> OpaquePointer? in
                var place = SystemCryptography.bytes(memory)
                guard let certificate = d2i_X509(nil, &place, memory.count) else { return nil }
                defer { X509_free(certificate) }
                return X509_get_pubkey(certificate)
            }
            ERR_clear_error()
            guard let pointer else { throw CryptoError(.invalidKey, "the certificate cannot be read") }
            key = try SystemKey(owning: pointer)
        }

        var kind: KeyKind { key.kind }
        var der: Data { key.publicDER }

        func verifies(_ signature: Data, _ message: Data, _ hash: HashAlgorithm) -> Bool {
            guard let context = EVP_MD_CTX_new() else { return false }
            defer {
                EVP_MD_CTX_free(context)
                ERR_clear_error()
            }
            guard EVP_DigestVerifyInit(context, nil, SystemCryptography.pointer(hash), nil, key.pointer) == 1 else { return false }
            return signature.withUnsafeBytes { signature in
                message.withUnsafeBytes {
                    EVP_DigestVerify(
                        context, SystemCryptography.bytes(signature), signature.count, SystemCryptography.bytes($0), $0.count)
                }
            } == 1
        }

        func encryptOAEP(_ message: Data, _ hash: HashAlgorithm) throws -> Data {
            let output = key.oaep(message, hash, start: EVP_PKEY_encrypt_init) { EVP_PKEY_encrypt($0, $1, $2, $3, $4) }
            guard let output else { throw SystemCryptography.failure("encrypt with RSA-OAEP") }
            return output.withBytes { Data($0) }
        }
    }
#endif

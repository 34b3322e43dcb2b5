#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import FireLiteCore
    import Foundation

    /// A private key of libcrypto.
    struct SystemPrivateKey: Sendable {
        private let key: SystemKey
        private let signing = SigningContext()

        init(_ kind: KeyKind) throws {
            let pointer =
                switch kind {
                case .p256: firelite_generate_ec("P-256")
                case .p384: firelite_generate_ec("P-384")
                case .rsa(let bits): firelite_generate_rsa(CUnsignedInt(bits))
                }
            guard let pointer else { throw SystemCryptography.failure("make a key") }
            key = try SystemKey(owning: pointer)
        }

        init(der: Data) throws {
            let pointer = der.withUnsafeBytes { memory -> OpaquePointer? in
                var place = SystemCryptography.bytes(memory)
                guard let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &place, memory.count) else { return nil }
                defer { PKCS8_PRIV_KEY_INFO_free(info) }
                return EVP_PKCS82PKEY(info)
            }
            ERR_clear_error()
            guard let pointer else { throw CryptoError(.invalidKey, "the private key cannot be read") }
            key = try SystemKey(owning: pointer)
            try checkConsistency()
        }

        /// Whether the private and the public half belong together: a signature with a mismatched key can give the private one away.
        private func checkConsistency() throws {
            guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else { throw SystemCryptography.failure("check a key") }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_pairwise_check(context) == 1 else {
                ERR_clear_error()
                throw CryptoError(.invalidKey, "the private key does not match its public key")
            }
        }

        var kind: KeyKind { key.kind }
        var publicKey: SystemPublicKey { SystemPublicKey(key) }

        func der() throws -> Data {
            guard let info = EVP_PKEY2PKCS8(key.pointer) else { throw SystemCryptography.failure("encode a private key") }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            let count = i2d_PKCS8_PRIV_KEY_INFO(info, nil)
            guard count > 0 else { throw SystemCryptography.failure("encode a private key") }
            var data = Data(count: Int(count))
            data.withUnsafeMutableBytes { memory in
                var place = memory.bindMemory(to: UInt8.self).baseAddress
                _ = i2d_PKCS8_PRIV_KEY_INFO(info, &place)
            }
            return data
        }

        func sign(_ message: Data, _ hash: HashAlgorithm) throws -> Data {
            if kind == .p256, hash == .sha256 { return try signing.sign(hash.digest(of: message), with: key) }
            guard let context = EVP_MD_CTX_new() else { throw SystemCryptography.failure("sign") }
            defer { EVP_MD_CTX_free(context) }
            try SystemCryptography.check(
                EVP_DigestSignInit(context, nil, SystemCryptography.pointer(hash), nil, key.pointer), "sign")
            var count = Int(EVP_PKEY_get_size(key.pointer))
            var signature = Data(count: count)
            try SystemCryptography.check(
                signature.withUnsafeMutableBytes { signature in
                    message.withUnsafeBytes {
                        EVP_DigestSign(
                            context, signature.bindMemory(to: UInt8.self).baseAddress, &count, SystemCryptography.bytes($0), $0.count)
                    }
                }, "sign")
            return Data(signature.prefix(count))
        }

        func decryptOAEP(_ ciphertext: Data, _ hash: HashAlgorithm) throws -> SecretData {
            let output = key.oaep(ciphertext, hash, start: EVP_PKEY_decrypt_init) { EVP_PKEY_decrypt($0, $1, $2, $3, $4) }
            guard let output else {
                ERR_clear_error()
                throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted for another key")
            }
            return output
        }
    }
#endif

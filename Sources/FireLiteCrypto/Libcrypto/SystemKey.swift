#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import FireLiteCore
    import Foundation

    /// A key of libcrypto, which frees (and, of private keys, wipes) it with its last reference.
    ///
    /// `@unchecked Sendable`: the key is complete when the initializer returns and only read afterwards.
    final class SystemKey: @unchecked Sendable {
        let pointer: OpaquePointer
        let kind: KeyKind

        /// Takes over the key.
        ///
        /// - Throws: `CryptoError.unsuitableKey`.
        init(owning pointer: OpaquePointer) throws {
            self.pointer = pointer
            kind = try Self.kind(of: pointer)
        }

        deinit { EVP_PKEY_free(pointer) }

        private static func kind(of key: OpaquePointer) throws -> KeyKind {
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_RSA:
                let bits = Int(EVP_PKEY_get_bits(key))
                if bits >= KeyKind.minimumRSABits { return .rsa(bits: bits) }
                EVP_PKEY_free(key)
                throw CryptoError(.unsuitableKey, "an RSA key has at least 2048 bits, not \(bits)")
            case EVP_PKEY_EC:
                var name = [CChar](repeating: 0, count: 64)
                var count = 0
                if EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 {
                    switch String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) {
                    case "prime256v1": return .p256
                    case "secp384r1": return .p384
                    default: break
                    }
                }
            default: break
            }
            ERR_clear_error()
            EVP_PKEY_free(key)
            throw CryptoError(.unsuitableKey, "a key is RSA, or on the curve P-256 or P-384")
        }

        var publicDER: Data {
            let count = i2d_PUBKEY(pointer, nil)
            var data = Data(count: Int(max(count, 0)))
            let written = data.withUnsafeMutableBytes { memory in
                var place = memory.bindMemory(to: UInt8.self).baseAddress
                return i2d_PUBKEY(pointer, &place)
            }
            // Invariant: a key that was read or made has a public half that can be encoded.
            precondition(count > 0 && written == count, "libcrypto cannot encode a public key")
            return data
        }

        /// Calls the body with a context for an operation with RSA-OAEP.
        func oaep(
            _ input: Data, _ hash: HashAlgorithm, start: (OpaquePointer) -> CInt,
            run: (OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafePointer<UInt8>?, Int) -> CInt
        ) -> SecretData? {
            guard let context = EVP_PKEY_CTX_new(pointer, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            let digest = SystemCryptography.pointer(hash)
            guard start(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) == 1, EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
            else { return nil }
            var count = Int(EVP_PKEY_get_size(pointer))
            var isDone: CInt = 0
            let output = SecretData(count: count) { memory in
                isDone = input.withUnsafeBytes {
                    run(context, memory.bindMemory(to: UInt8.self).baseAddress, &count, SystemCryptography.bytes($0), $0.count)
                }
            }
            guard isDone == 1 else { return nil }
            return output.withBytes { SecretData($0.prefix(count)) }
        }
    }
#endif

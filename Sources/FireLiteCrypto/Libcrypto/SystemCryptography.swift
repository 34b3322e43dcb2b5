#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import FireLiteCore
    import Foundation

    /// The cryptography of OpenSSL's libcrypto; the other half is in the folder Apple.
    enum SystemCryptography {
        // MARK: - Memory and random bytes

        static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
            left.count == right.count && (left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0)
        }

        static func fillRandomly(_ memory: UnsafeMutableRawBufferPointer) throws {
            guard !memory.isEmpty else { return }
            try check(RAND_bytes(memory.bindMemory(to: UInt8.self).baseAddress, CInt(memory.count)), "make random bytes")
        }

        // MARK: - Hashing

        static func pointer(_ hash: HashAlgorithm) -> OpaquePointer? {
            switch hash {
            case .sha1: EVP_sha1()
            case .sha256: fetchedSHA256 ?? EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        }

        /// SHA-256 as its provider has it. Without it, each call looks the provider up, which takes longer than hashing 200 bytes.
        ///
        /// `nonisolated(unsafe)`: it is made once, under the lock of a static, and neither changed nor freed.
        nonisolated(unsafe) private static let fetchedSHA256 = EVP_MD_fetch(nil, "SHA256", nil)

        static func digest(_ message: Data, _ hash: HashAlgorithm) -> Data {
            var digest = Data(count: hash.byteCount)
            let isDone = digest.withUnsafeMutableBytes { digest in
                message.withUnsafeBytes {
                    EVP_Digest($0.baseAddress, $0.count, digest.bindMemory(to: UInt8.self).baseAddress, nil, pointer(hash), nil)
                }
            }
            // Invariant: hashing memory fails only if libcrypto was built without the algorithm.
            precondition(isDone == 1, "libcrypto has no \(hash.rawValue)")
            return digest
        }

        static func digest(_ message: UnsafeRawBufferPointer, _ hash: HashAlgorithm) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: hash.byteCount) { digest, count in
                let isDone = EVP_Digest(message.baseAddress, message.count, digest.baseAddress, nil, pointer(hash), nil)
                // Invariant: see above.
                precondition(isDone == 1, "libcrypto has no \(hash.rawValue)")
                count = hash.byteCount
            }
        }

        static func authenticationCode(_ message: Data, key: SecretData, _ hash: HashAlgorithm) -> Data {
            var code = Data(count: hash.byteCount)
            // HMAC takes nil for "the key of the last call", so an empty key needs an address.
            let isDone = code.withUnsafeMutableBytes { code in
                message.withUnsafeBytes { message in
                    key.withBytes { key in
                        withUnsafePointer(to: 0 as UInt8) { empty in
                            HMAC(
                                pointer(hash), key.isEmpty ? UnsafeRawPointer(empty) : key.baseAddress, CInt(key.count),
                                message.bindMemory(to: UInt8.self).baseAddress, message.count, code.bindMemory(to: UInt8.self).baseAddress,
                                nil)
                        }
                    }
                }
            }
            // Invariant: see `digest`.
            precondition(isDone != nil, "libcrypto has no HMAC with \(hash.rawValue)")
            return code
        }

        static func derivedKey(
            from secret: SecretData, salt: Data, info: Data, byteCount: Int, _ hash: HashAlgorithm
        ) throws -> SecretData {
            let action = "derive a key"
            guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { throw failure(action) }
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_derive_init(context), action)
            try check(EVP_PKEY_CTX_set_hkdf_md(context, pointer(hash)), action)
            if !salt.isEmpty {
                try check(salt.withUnsafeBytes { EVP_PKEY_CTX_set1_hkdf_salt(context, bytes($0), CInt($0.count)) }, action)
            }
            try check(secret.withBytes { EVP_PKEY_CTX_set1_hkdf_key(context, bytes($0), CInt($0.count)) }, action)
            if !info.isEmpty {
                try check(info.withUnsafeBytes { EVP_PKEY_CTX_add1_hkdf_info(context, bytes($0), CInt($0.count)) }, action)
            }
            return try SecretData(count: byteCount) { memory in
                var count = memory.count
                try check(EVP_PKEY_derive(context, memory.bindMemory(to: UInt8.self).baseAddress, &count), action)
            }
        }

        // MARK: - AES

        static func sealGCM(_ message: Data, key: SecretData, nonce: Data, context: Data) throws -> (ciphertext: Data, tag: Data) {
            let action = "encrypt"
            let cipher = try gcm(key, nonce: nonce, context: context, encrypts: true, action: action)
            defer { EVP_CIPHER_CTX_free(cipher) }
            let ciphertext = try update(cipher, message, encrypts: true, action)
            var count: CInt = 0
            var rest = [UInt8](repeating: 0, count: 16)
            try check(EVP_EncryptFinal_ex(cipher, &rest, &count), action)
            var tag = Data(count: AESGCM.tagByteCount)
            try check(
                tag.withUnsafeMutableBytes { EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CInt($0.count), $0.baseAddress) }, action)
            return (ciphertext, tag)
        }

        static func openGCM(_ ciphertext: Data, tag: Data, key: SecretData, nonce: Data, context: Data) throws -> Data {
            let action = "decrypt"
            let cipher = try gcm(key, nonce: nonce, context: context, encrypts: false, action: action)
            defer { EVP_CIPHER_CTX_free(cipher) }
            var message = try update(cipher, ciphertext, encrypts: false, action)
            var tag = tag
            try check(
                tag.withUnsafeMutableBytes { EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CInt($0.count), $0.baseAddress) }, action)
            var count: CInt = 0
            var rest = [UInt8](repeating: 0, count: 16)
            guard EVP_DecryptFinal_ex(cipher, &rest, &count) == 1 else {
                ERR_clear_error()
                // What was decrypted so far is not authentic.
                message.withUnsafeMutableBytes { SecretData.wipe($0) }
                throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted with another key")
            }
            return message
        }

        static func cryptCBC(_ input: Data, key: SecretData, vector: Data, encrypts: Bool) throws -> Data {
            let action = encrypts ? "encrypt" : "decrypt"
            guard let cipher = EVP_CIPHER_CTX_new() else { throw failure(action) }
            defer { EVP_CIPHER_CTX_free(cipher) }
            let algorithm = [16: EVP_aes_128_cbc, 24: EVP_aes_192_cbc, 32: EVP_aes_256_cbc][key.count]?()
            try start(cipher, algorithm, key: key, vector: vector, encrypts: encrypts, action)
            var output = try update(cipher, input, encrypts: encrypts, action)
            var rest = [UInt8](repeating: 0, count: 16)
            var count: CInt = 0
            let isDone = encrypts ? EVP_EncryptFinal_ex(cipher, &rest, &count) : EVP_DecryptFinal_ex(cipher, &rest, &count)
            guard isDone == 1 else {
                ERR_clear_error()
                throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted with another key")
            }
            output.append(contentsOf: rest.prefix(Int(count)))
            return output
        }

        private static func gcm(
            _ key: SecretData, nonce: Data, context: Data, encrypts: Bool, action: String
        ) throws -> OpaquePointer {
            guard let cipher = EVP_CIPHER_CTX_new() else { throw failure(action) }
            do {
                let algorithm = [16: EVP_aes_128_gcm, 24: EVP_aes_192_gcm, 32: EVP_aes_256_gcm][key.count]?()
                // The nonce has the default length, 12 bytes.
                try start(cipher, algorithm, key: key, vector: nonce, encrypts: encrypts, action)
                var count: CInt = 0
                if !context.isEmpty {
                    let isDone = context.withUnsafeBytes {
                        encrypts
                            ? EVP_EncryptUpdate(cipher, nil, &count, bytes($0), CInt($0.count))
                            : EVP_DecryptUpdate(cipher, nil, &count, bytes($0), CInt($0.count))
                    }
                    try check(isDone, action)
                }
                return cipher
            } catch {
                EVP_CIPHER_CTX_free(cipher)
                throw error
            }
        }

        private static func start(
            _ cipher: OpaquePointer, _ algorithm: OpaquePointer?, key: SecretData, vector: Data, encrypts: Bool, _ action: String
        ) throws {
            try check(
                key.withBytes { key in
                    vector.withUnsafeBytes { EVP_CipherInit_ex(cipher, algorithm, nil, bytes(key), bytes($0), encrypts ? 1 : 0) }
                }, action)
        }

        /// Passes the input through a cipher, in pieces whose lengths fit a C `int`.
        private static func update(_ cipher: OpaquePointer, _ input: Data, encrypts: Bool, _ action: String) throws -> Data {
            var output = Data(count: input.count + 16)
            var written = 0
            try output.withUnsafeMutableBytes { output in
                try input.withUnsafeBytes { input in
                    var start = 0
                    while start < input.count {
                        let piece = UnsafeRawBufferPointer(rebasing: input[start..<min(start + 1 << 24, input.count)])
                        var count: CInt = 0
                        let place = output.baseAddress?.advanced(by: written).assumingMemoryBound(to: UInt8.self)
                        try check(EVP_CipherUpdate(cipher, place, &count, bytes(piece), CInt(piece.count)), action)
                        written += Int(count)
                        start += piece.count
                    }
                }
            }
            return Data(output.prefix(written))
        }

        // MARK: - Results

        static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? { buffer.bindMemory(to: UInt8.self).baseAddress }

        static func check(_ result: CInt, _ action: String) throws {
            guard result == 1 else { throw failure(action) }
        }

        static func failure(_ action: String) -> CryptoError {
            let code = ERR_peek_last_error()
            ERR_clear_error()
            return CryptoError(.system, "libcrypto cannot \(action): error \(code)")
        }
    }
#endif

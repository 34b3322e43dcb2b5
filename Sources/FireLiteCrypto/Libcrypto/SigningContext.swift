#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import Foundation

    /// What libcrypto prepares for the signatures of a key, which takes a third as long as a signature on P-256: kept from one to the next.
    final class SigningContext: @unchecked Sendable {
        // `lock` guards the context, which one thread at a time can use.
        private let lock = NSLock()
        private var context: OpaquePointer?

        deinit { EVP_PKEY_CTX_free(context) }

        /// Signs a SHA-256.
        ///
        /// - Parameter key: the same with each call.
        /// - Throws: `CryptoError.system`.
        func sign(_ digest: Data, with key: SystemKey) throws -> Data {
            try lock.withLock {
                let context = try context ?? prepared(key)
                self.context = context
                // The longest signature on P-256, as DER.
                return try Data(
                    [UInt8](unsafeUninitializedCapacity: 72) { memory, count in
                        count = memory.count
                        let isDone = digest.withUnsafeBytes {
                            EVP_PKEY_sign(context, memory.baseAddress, &count, SystemCryptography.bytes($0), $0.count)
                        }
                        if isDone != 1 { count = 0 }
                        try SystemCryptography.check(isDone, "sign")
                    })
            }
        }

        private func prepared(_ key: SystemKey) throws -> OpaquePointer {
            guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else { throw SystemCryptography.failure("sign") }
            guard EVP_PKEY_sign_init(context) == 1, EVP_PKEY_CTX_set_signature_md(context, SystemCryptography.pointer(.sha256)) == 1 else {
                EVP_PKEY_CTX_free(context)
                throw SystemCryptography.failure("sign")
            }
            return context
        }
    }
#endif

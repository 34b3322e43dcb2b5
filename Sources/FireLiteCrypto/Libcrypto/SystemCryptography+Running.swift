#if canImport(CFireLiteCrypto) && !canImport(CryptoKit)
    import CFireLiteCrypto
    import Foundation

    extension SystemCryptography {
        /// libcrypto's hashing in pieces.
        final class RunningSHA256 {
            private let context: OpaquePointer?

            init() {
                context = EVP_MD_CTX_new()
                // Invariant: see `digest`.
                precondition(context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "libcrypto has no SHA-256")
            }

            deinit { EVP_MD_CTX_free(context) }

            func update(_ bytes: UnsafeRawBufferPointer) {
                guard !bytes.isEmpty else { return }
                let code = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
                // Invariant: see `digest`.
                precondition(code == 1, "libcrypto cannot hash")
            }

            func finish() -> Data {
                var digest = [UInt8](repeating: 0, count: HashAlgorithm.sha256.byteCount)
                let code = EVP_DigestFinal_ex(context, &digest, nil)
                // Invariant: see `digest`.
                precondition(code == 1, "libcrypto cannot hash")
                return Data(digest)
            }
        }

        /// libcrypto's hashing of one message after another.
        final class RepeatedSHA256 {
            private let context = EVP_MD_CTX_new()

            deinit { EVP_MD_CTX_free(context) }

            func digest(_ message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) {
                let isDone =
                    EVP_DigestInit_ex2(context, SystemCryptography.pointer(.sha256), nil) == 1
                    && EVP_DigestUpdate(context, message.baseAddress, message.count) == 1
                    && EVP_DigestFinal_ex(context, digest.assumingMemoryBound(to: UInt8.self), nil) == 1
                // Invariant: see `digest`.
                precondition(isDone, "libcrypto has no SHA-256")
            }
        }
    }
#endif

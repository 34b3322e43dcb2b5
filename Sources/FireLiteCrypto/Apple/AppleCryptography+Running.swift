#if canImport(CryptoKit) || FIRELITE_SWIFT_CRYPTO
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif
    import Foundation

    extension SystemCryptography {
        /// CryptoKit's hashing in pieces.
        final class RunningSHA256 {
            private var hash = SHA256()

            init() {}

            func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

            func finish() -> Data { Data(hash.finalize()) }
        }

        /// CryptoKit's hashing of one message after another.
        final class RepeatedSHA256 {
            init() {}

            func digest(_ message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) {
                var hash = SHA256()
                hash.update(bufferPointer: message)
                hash.finalize().withUnsafeBytes { digest.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(digest), byteCount: $0.count) }
            }
        }
    }
#endif

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
    }
#endif

import FireLiteCrypto

/// Which half of the module is tested, and what it can do.
enum Half {
    /// False for the Apple half on Linux (Tests/AppleCrypto), which has neither RSA nor certificates nor AES-CBC.
    static let isComplete: Bool = {
        #if FIRELITE_SWIFT_CRYPTO
            false
        #else
            true
        #endif
    }()

    /// Signature algorithms with a kind of key and the length of signatures.
    static let algorithms: [(SignatureAlgorithm, KeyKind, Int)] =
        [(.es256, .p256, 64), (.es384, .p384, 96)]
        + (isComplete ? [(.rs256, .rsa(bits: 2048), 256), (.rs384, .rsa(bits: 3072), 384)] : [])
}

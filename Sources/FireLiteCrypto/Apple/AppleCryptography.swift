// FIRELITE_SWIFT_CRYPTO: the package swift-crypto, which has CryptoKit's API, in Tests/AppleCrypto.
#if canImport(CryptoKit) || FIRELITE_SWIFT_CRYPTO
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif
    import FireLiteCore
    import Foundation
    #if canImport(CommonCrypto)
        import CommonCrypto
    #endif

    /// The cryptography of Apple's systems: CryptoKit, and CommonCrypto for AES-CBC. The other half is in the folder Libcrypto.
    enum SystemCryptography {
        // MARK: - Memory and random bytes

        static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
            guard left.count == right.count else { return false }
            var difference: UInt8 = 0
            for index in 0..<left.count { difference |= left[index] ^ right[index] }
            return difference == 0
        }

        /// The system's generator, which Apple documents as cryptographically secure.
        static func fillRandomly(_ memory: UnsafeMutableRawBufferPointer) throws {
            var generator = SystemRandomNumberGenerator()
            for index in 0..<memory.count { memory[index] = generator.next() }
        }

        // MARK: - Hashing

        static func digest(_ message: Data, _ hash: HashAlgorithm) -> Data {
            switch hash {
            case .sha1: Data(Insecure.SHA1.hash(data: message))
            case .sha256: Data(SHA256.hash(data: message))
            case .sha384: Data(SHA384.hash(data: message))
            case .sha512: Data(SHA512.hash(data: message))
            }
        }

        static func digest(_ message: UnsafeRawBufferPointer, _ hash: HashAlgorithm) -> [UInt8] {
            switch hash {
            case .sha1: digest(message, by: Insecure.SHA1())
            case .sha256: digest(message, by: SHA256())
            case .sha384: digest(message, by: SHA384())
            case .sha512: digest(message, by: SHA512())
            }
        }

        private static func digest(_ message: UnsafeRawBufferPointer, by function: some HashFunction) -> [UInt8] {
            var function = function
            function.update(bufferPointer: message)
            return Array(function.finalize())
        }

        static func authenticationCode(_ message: Data, key: SecretData, _ hash: HashAlgorithm) -> Data {
            let key = symmetricKey(key)
            return switch hash {
            case .sha1: Data(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha384: Data(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .sha512: Data(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        }

        static func derivedKey(
            from secret: SecretData, salt: Data, info: Data, byteCount: Int, _ hash: HashAlgorithm
        ) throws -> SecretData {
            let input = symmetricKey(secret)
            let key =
                switch hash {
                case .sha1: HKDF<Insecure.SHA1>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: byteCount)
                case .sha256: HKDF<SHA256>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: byteCount)
                case .sha384: HKDF<SHA384>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: byteCount)
                case .sha512: HKDF<SHA512>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: byteCount)
                }
            return key.withUnsafeBytes { SecretData($0) }
        }

        private static func symmetricKey(_ key: SecretData) -> SymmetricKey { key.withBytes { SymmetricKey(data: $0) } }

        // MARK: - AES

        static func sealGCM(_ message: Data, key: SecretData, nonce: Data, context: Data) throws -> (ciphertext: Data, tag: Data) {
            do {
                let box = try AES.GCM.seal(message, using: symmetricKey(key), nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
                return (box.ciphertext, box.tag)
            } catch { throw CryptoError(.system, "CryptoKit cannot encrypt") }
        }

        static func openGCM(_ ciphertext: Data, tag: Data, key: SecretData, nonce: Data, context: Data) throws -> Data {
            do {
                let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext, tag: tag)
                return try AES.GCM.open(box, using: symmetricKey(key), authenticating: context)
            } catch { throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted with another key") }
        }

        static func cryptCBC(_ input: Data, key: SecretData, vector: Data, encrypts: Bool) throws -> Data {
            #if canImport(CommonCrypto)
                var output = Data(count: input.count + kCCBlockSizeAES128)
                var count = 0
                let status = output.withUnsafeMutableBytes { output in
                    input.withUnsafeBytes { input in
                        vector.withUnsafeBytes { vector in
                            key.withBytes { key in
                                CCCrypt(
                                    CCOperation(encrypts ? kCCEncrypt : kCCDecrypt), CCAlgorithm(kCCAlgorithmAES),
                                    CCOptions(kCCOptionPKCS7Padding),
                                    key.baseAddress, key.count, vector.baseAddress, input.baseAddress, input.count, output.baseAddress,
                                    output.count,
                                    &count)
                            }
                        }
                    }
                }
                guard status == kCCSuccess else {
                    throw CryptoError(.cannotDecrypt, "the ciphertext was changed, or was encrypted with another key")
                }
                return Data(output.prefix(count))
            #else
                throw CryptoError(.system, "AES-CBC needs CommonCrypto")
            #endif
        }
    }
#endif

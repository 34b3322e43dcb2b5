#if canImport(Security) && canImport(CryptoKit)
    import CryptoKit
    import FireLiteCrypto
    import Foundation

    /// A P-256 key that never leaves the Secure Enclave. Written from Apple's documentation and not tested yet.
    public struct SecureEnclaveKey: IdentityKey {
        private let key: SecureEnclave.P256.Signing.PrivateKey
        /// The public key.
        public let publicKey: PublicKey

        /// Makes a new key.
        ///
        /// - Throws: ``TrustError/Code/key`` if the device has no Secure Enclave.
        public init() throws { try self.init { try SecureEnclave.P256.Signing.PrivateKey() } }

        /// Restores a key from its ``representation``, on the same device.
        ///
        /// - Parameter representation: the key, encrypted by the Secure Enclave.
        /// - Throws: ``TrustError/Code/key``.
        public init(representation: Data) throws {
            try self.init { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: representation) }
        }

        private init(_ make: () throws -> SecureEnclave.P256.Signing.PrivateKey) throws {
            do { key = try make() } catch { throw TrustError(.key, "the Secure Enclave has no such key: \(error)") }
            let der = key.publicKey.derRepresentation
            do { publicKey = try PublicKey(der: der) } catch let error as CryptoError { throw TrustError(.key, error.message) }
        }

        /// The key, encrypted by the Secure Enclave; no other device can use it.
        public var representation: Data { key.dataRepresentation }

        /// Signs a message in the Secure Enclave.
        public func signature(of message: Data) throws -> Data {
            do { return try key.signature(for: message).rawRepresentation } catch {
                throw TrustError(.key, "the Secure Enclave does not sign: \(error)")
            }
        }
    }
#endif

#if canImport(Security) && canImport(CryptoKit)
    import CryptoKit
    import FireLiteCrypto
    import Foundation
    import Security

    /// Keeps private keys in the Secure Enclave if the device has one, and in its keychain otherwise. Written from Apple's documentation
    /// and not tested yet.
    public struct KeychainKeyStore: IdentityKeyStore {
        private let service: String

        /// Creates a store.
        ///
        /// - Parameter service: the service under which the keychain lists the keys.
        public init(service: String = "FireLite keys") { self.service = service }

        private func query(_ name: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name]
        }

        /// The key with a name; nil if there is none.
        public func key(named name: String) throws -> (any IdentityKey)? {
            var query = query(name)
            query[kSecReturnData] = true
            var result: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &result) {
            case errSecSuccess: break
            case errSecItemNotFound: return nil
            case let status: throw TrustError(.key, "the keychain cannot be read (\(status))")
            }
            guard let data = result as? Data, let kind = data.first else { throw TrustError(.key, "the keychain's item is not a key") }
            guard kind == Self.inHardware else { return try Self.softwareKey { try PrivateKey(pem: Secret(data.dropFirst())) } }
            return try SecureEnclaveKey(representation: Data(data.dropFirst()))
        }

        /// Makes a key and stores it in the keychain.
        public func makeKey(named name: String) throws -> any IdentityKey {
            guard try key(named: name) == nil else {
                throw TrustError(.key, "the keychain has a key '\(name)' already: choose another name")
            }
            let (key, data): (any IdentityKey, Data)
            if SecureEnclave.isAvailable {
                let made = try SecureEnclaveKey()
                (key, data) = (made, Data([Self.inHardware]) + made.representation)
            } else {
                let made = try Self.softwareKey { try PrivateKey() }
                (key, data) = (made, Data([Self.inSoftware]) + (try Self.softwareKey { try made.pem().bytes }))
            }
            var item = query(name)
            item[kSecValueData] = data
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let added = SecItemAdd(item as CFDictionary, nil)
            guard added == errSecSuccess else { throw TrustError(.key, "the keychain cannot be changed (\(added))") }
            return key
        }

        /// Removes a key from the keychain.
        public func removeKey(named name: String) throws {
            let deleted = SecItemDelete(query(name) as CFDictionary)
            guard deleted == errSecSuccess || deleted == errSecItemNotFound else {
                throw TrustError(.key, "the keychain cannot be changed (\(deleted))")
            }
        }

        private static func softwareKey<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch let error as CryptoError { throw TrustError(.key, error.message) }
        }

        private static let inHardware: UInt8 = 1
        private static let inSoftware: UInt8 = 2
    }
#endif

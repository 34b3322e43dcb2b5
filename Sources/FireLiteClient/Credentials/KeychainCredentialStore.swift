#if canImport(Security)
    import Foundation
    import Security

    /// Keeps secrets in the keychain of this device, readable after its first unlocking. Written from Apple's documentation and not tried yet.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String

        /// Creates a store.
        ///
        /// - Parameter service: the service under which the keychain lists the secrets.
        public init(service: String = "FireLite") { self.service = service }

        private func query(_ name: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name]
        }

        /// The credential with a name; nil if there is none.
        public func credential(named name: String) async throws -> Secret? {
            var query = query(name)
            query[kSecReturnData] = true
            var result: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &result) {
            case errSecSuccess: return (result as? Data).map { Secret($0) }
            case errSecItemNotFound: return nil
            case let status: throw AuthorizationError(.storage, "the keychain cannot be read (\(status))")
            }
        }

        /// Stores a credential under a name; nil removes it.
        public func setCredential(_ credential: Secret?, named name: String) async throws {
            let deleted = SecItemDelete(query(name) as CFDictionary)
            guard deleted == errSecSuccess || deleted == errSecItemNotFound else {
                throw AuthorizationError(.storage, "the keychain cannot be changed (\(deleted))")
            }
            guard let credential else { return }
            var item = query(name)
            item[kSecValueData] = credential.bytes
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let added = SecItemAdd(item as CFDictionary, nil)
            guard added == errSecSuccess else { throw AuthorizationError(.storage, "the keychain cannot be changed (\(added))") }
        }
    }
#endif

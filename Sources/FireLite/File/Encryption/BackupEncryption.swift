extension FHIRStore {
    /// The encryption of a copy of a store.
    public enum BackupEncryption: Sendable {
        /// The same as the store: with its key, or not encrypted.
        case same
        /// With this key, whether the store is encrypted or not. Requires the package's trait `SQLCipher`.
        case key(EncryptionKey)
        /// Not encrypted, even if the store is.
        case none
    }

    /// The key of a copy.
    func key(of encryption: BackupEncryption) -> EncryptionKey? {
        switch encryption {
        case .same: configuration.key
        case .key(let key): key
        case .none: nil
        }
    }
}

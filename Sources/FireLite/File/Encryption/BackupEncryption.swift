extension FHIRStore {
    /// Whether a copy of a store is encrypted, and with what key.
    public enum BackupEncryption: Sendable {
        /// As the store is: with its key, or not at all.
        case same
        /// With this key, whether the store is encrypted or not. Needs the package's trait `SQLCipher`.
        case key(EncryptionKey)
        /// Not at all, even if the store is.
        case none
    }

    /// The key that a copy gets.
    func key(of encryption: BackupEncryption) -> EncryptionKey? {
        switch encryption {
        case .same: configuration.key
        case .key(let key): key
        case .none: nil
        }
    }
}

import FireLiteSQLiteBridge

extension FHIRStore {
    /// The encryption of a copy of a store.
    public enum BackupEncryption: Sendable {
        /// The same as the store: with its key, or not encrypted.
        case same
        /// With this key, whether the store is encrypted or not. Requires the package's trait `SQLCipher`.
        case key(Secret)
        /// Not encrypted, even if the store is.
        case none
    }

    /// The key of a copy.
    func key(of encryption: BackupEncryption) -> Secret? {
        switch encryption {
        case .same: configuration.key
        case .key(let key): key
        case .none: nil
        }
    }
}

extension Secret {
    /// Whether it can be the key of the file at a path.
    ///
    /// - Throws: `FHIRStoreError`: `noEncryption`, `invalidArgument`. Nothing has been opened or created then.
    func verify(for path: String) throws {
        guard Connection.isBuiltForEncryption else {
            throw FHIRStoreError(
                .noEncryption, "\(path): a key needs SQLCipher: build the package with the trait SQLCipher (swift build --traits SQLCipher)"
            )
        }
        if data.count == 0 { throw FHIRStoreError(.invalidArgument, "\(path): the key is empty: give 32 bytes, or a passphrase") }
        if path == ":memory:" { throw FHIRStoreError(.invalidArgument, "an in-memory store cannot be encrypted: open it without a key") }
    }
}

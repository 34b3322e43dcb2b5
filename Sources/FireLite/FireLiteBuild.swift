import FireLiteSQLiteBridge

// Not FireLiteVersion: symbol graphs leave out what is named like its module and "Version", as if Clang had made it.

/// The versions of this package and of the libraries it is built on.
public enum FireLiteBuild {
    /// The package's version, as in `CHANGELOG.md` and in the tags of its repository: `0.9.0`.
    public static let version = "0.9.0"

    /// The newest format of files that this version reads and writes: that of files with a change log or a history. Other files have an
    /// older format; still older ones are upgraded. `FileFormat.md` describes the formats.
    public static let fileFormat = Int(StoreOpener.trackingFormat)

    /// The linked library with its version: `SQLite 3.40.1`, or `SQLCipher 4.6.1 (SQLite 3.46.1)` with the trait `SQLCipher`.
    ///
    /// - Throws: `FHIRStoreError` if the trait `SQLCipher` is on and the library cannot open a database in memory.
    public static var library: String {
        get throws {
            let name = "SQLite \(Connection.libraryVersion)"
            guard Connection.isBuiltForEncryption else { return name }
            let path = ":memory:"
            do {
                let version = try Connection.open(path, key: nil).text("PRAGMA cipher_version") ?? ""
                return version.isEmpty ? name : "SQLCipher \(version.prefix { $0 != " " }) (\(name))"
            } catch let error as SQLiteError {
                throw FHIRStoreError(error, path: path)
            }
        }
    }
}

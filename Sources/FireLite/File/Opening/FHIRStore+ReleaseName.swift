import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// The name of the FHIR release whose resources a file holds, `R4`, for a program that opens stores of several releases.
    ///
    /// ```swift
    /// let name = try FHIRStore.releaseName(ofFileAt: url)
    /// ```
    /// The file is only read.
    /// - Parameters:
    ///   - file: an existing file.
    ///   - key: the key of an encrypted file. Default: none.
    /// - Throws: `FHIRStoreError`: `cannotOpen`, `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `noEncryption`, `readOnly`, `busy`.
    public static func releaseName(ofFileAt file: URL, key: Secret? = nil) throws -> String {
        let path = file.filePath
        do {
            let readOnly = ReadOnlyFile(path: path, key: key, pageChecksums: .verified)
            let (connection, _) = try readOnly.open()
            return try connection.explaining(path, key: key) {
                connection.setBusyTimeout(milliseconds: Configuration().busyMilliseconds)
                try connection.execute("PRAGMA query_only = 1; PRAGMA schema_version")
                return try StoreOpener.facts(connection, path: path).release
            }
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path)
        }
    }
}

import FireLiteCrypto
import Foundation

/// Seals and opens the content and the annotations of records.
struct RecordVault {
    let tables: RecordTables
    /// `resource` or `appdata`.
    let domain: String
    let encryption: RecordEncryption

    // MARK: - Annotations

    /// The annotations of a record, opened if it is sealed.
    func annotations(of row: RecordRow, _ tx: ReadTransaction) throws -> [String] {
        guard let stored = try tables.wrappedKey(of: row.number, tx) else { return try tables.annotations(of: row.number, tx) }
        return try annotations(stored.annotations, row, key: unwrapped(stored.wrapped, row))
    }

    /// Replaces the annotations; the caller stores the row.
    func setAnnotations(_ texts: [String], of row: inout RecordRow, _ tx: WriteTransaction) throws {
        row.edition = try tx.incremented(row.edition, in: tables.name)
        guard let stored = try tables.wrappedKey(of: row.number, tx) else {
            return try tables.setAnnotations(texts, of: row.number, isKeyed: false, tx)
        }
        try setSealedAnnotations(texts, row: row, wrapped: stored.wrapped, key: unwrapped(stored.wrapped, row), tx: tx)
    }

    private func setSealedAnnotations(
        _ texts: [String], row: RecordRow, wrapped: WrappedKey, key: SecretData, tx: WriteTransaction
    ) throws {
        let keyring = try keyring(for: row)
        let sealed = try SealedBytes.seal(
            JSONEncoder().encode(texts), key: key, context: context("annotations", row, row.edition))
        try tables.setKey(wrapped, annotations: sealed, of: row.number, tx)
        try tables.setAnnotations(texts.map(keyring.code), of: row.number, isKeyed: true, tx)
    }

    private func annotations(_ sealed: Data, _ row: RecordRow, key: SecretData) throws -> [String] {
        let json = try SealedBytes.open(sealed, key: key, context: context("annotations", row, row.edition)) { failure(row) }
        guard let texts = try? JSONDecoder().decode([String].self, from: json) else { throw failure(row) }
        return texts
    }

    // MARK: - Content

    /// Seals the content and annotations of a record, whose version in the row is that of the content; the caller stores the row.
    func seal(_ content: Data, _ texts: [String], of row: inout RecordRow, _ tx: WriteTransaction) throws {
        let keyring = try keyring(for: row)
        row.edition = try tx.incremented(row.edition, in: tables.name)
        let key: SecretData
        let wrapped: WrappedKey
        if let stored = try tables.wrappedKey(of: row.number, tx) {
            wrapped = stored.wrapped
            key = try unwrapped(wrapped, row)
        } else {
            key = try SealedBytes.newKey()
            wrapped = try keyring.wrap(key, context: context("key", row))
        }
        try setSealedAnnotations(texts, row: row, wrapped: wrapped, key: key, tx: tx)
        try tables.setContent(SealedBytes.seal(content, key: key, context: context("content", row, row.version)), of: row.number, tx)
    }

    /// The content and annotations of a sealed record; nil for one that is not sealed.
    ///
    /// - Throws: `RecordError`: `missingKey`, `cannotOpen`.
    func open(_ row: RecordRow, _ tx: ReadTransaction) throws -> (content: Data, annotations: [String])? {
        guard let stored = try tables.wrappedKey(of: row.number, tx) else { return nil }
        let key = try unwrapped(stored.wrapped, row)
        guard let sealed = try tables.content(of: row.number, tx) else { throw failure(row) }
        let content = try SealedBytes.open(sealed, key: key, context: context("content", row, row.version)) { failure(row) }
        return (content, try annotations(stored.annotations, row, key: key))
    }

    /// Wraps the key of a record with the primary common key; false if it is already.
    func rewrap(_ row: RecordRow, _ keyring: RecordKeyring, _ tx: WriteTransaction) throws -> Bool {
        guard let stored = try tables.wrappedKey(of: row.number, tx), stored.wrapped.commonID != keyring.primaryID else { return false }
        let wrapped = try keyring.wrap(unwrapped(stored.wrapped, row), context: context("key", row))
        try tx.run(
            on: tables.module, "UPDATE \(tables.name)_key SET common = ?, wrapped = ? WHERE owner = ?",
            [.text(wrapped.commonID), .blob([UInt8](wrapped.bytes)), .integer(row.number)])
        return true
    }

    /// The key of a sealed record.
    func key(of row: RecordRow, _ tx: ReadTransaction) throws -> SecretData? {
        try tables.wrappedKey(of: row.number, tx).map { try unwrapped($0.wrapped, row) }
    }

    // MARK: - Parts

    private func keyring(for row: RecordRow) throws -> RecordKeyring {
        guard let keyring = encryption.keyring else {
            throw RecordError(.missingKey, "a sealed record needs a keyring", remedy: .giveKeyring)
        }
        return keyring
    }

    private func unwrapped(_ wrapped: WrappedKey, _ row: RecordRow) throws -> SecretData {
        try keyring(for: row).unwrap(wrapped, context: context("key", row)) {
            RecordError(
                .cannotOpen,
                "the keyring does not open the key of the sealed \(domain) with number \(row.number): it is another keyring than it was sealed with, or the key was changed"
            )
        }
    }

    private func failure(_ row: RecordRow) -> RecordError {
        RecordError(
            .cannotOpen, "the sealed \(domain) with number \(row.number) was changed, swapped or rolled back: restore it from a backup")
    }

    /// The authenticated data of sealed bytes: lines with the part, the domain, the type, the id and the version. The type of app data may
    /// change, so its line is empty.
    private func context(_ part: String, _ row: RecordRow, _ version: Int64? = nil) -> Data {
        let type = domain == "resource" ? row.type : ""
        return Data(["firelite/1", part, domain, type, row.id, version.map { "\($0)" } ?? ""].joined(separator: "\n").utf8)
    }
}

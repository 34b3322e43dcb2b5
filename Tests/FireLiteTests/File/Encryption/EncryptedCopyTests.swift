import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// Copies with another key than the store's: how a store is encrypted, or decrypted.
@Suite(.soundStores, .enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
struct EncryptedCopyTests {
    /// A store with all that a file may have: indexes, triggers of full text where there is FTS5, SQLite's statistics, pks.
    private func make(_ path: String, _ key: Secret?) throws {
        let store = try EncryptedStores.open(path, key)
        try EncryptedStores.fill(store, 0..<300)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "own-pk"; $0.pk = "a pk"
                })
        }
        try store.createIndex(Patient.self) { $0.name.family }
        if Library.hasFullText { try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] } }
        try store.optimize()
    }

    private func catalog(_ store: FHIRStore) throws -> [[String?]] {
        try store.sql("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").map { $0.values.map(\.text) }
    }

    /// From plain to encrypted, to another key, and back to plain: each copy is the same store.
    @Test func copiesFromPlainToEncryptedAndBackAreEqual() throws {
        try withTemporaryFolder { folder in
            func path(_ name: String) -> String { "\(folder)/\(name).sqlite" }
            try make(path("plain"), nil)
            let plain = try EncryptedStores.open(path("plain"), nil)
            let (content, catalog) = (try snapshot(plain), try catalog(plain))
            let steps: [(String, Secret?, FHIRStore.BackupEncryption, String, Secret?)] = [
                ("plain", nil, .key(EncryptedStores.raw), "encrypted", EncryptedStores.raw),
                ("encrypted", EncryptedStores.raw, .key(EncryptedStores.passphrase), "other", EncryptedStores.passphrase),
                ("other", EncryptedStores.passphrase, .same, "same", EncryptedStores.passphrase),
                ("same", EncryptedStores.passphrase, .none, "decrypted", nil),
                ("decrypted", nil, .same, "copy", nil),
            ]
            for (source, key, encryption, target, targetKey) in steps {
                var progress: [StoreProgress] = []
                try EncryptedStores.open(path(source), key).backup(to: URL(fileURLWithPath: path(target)), encryption: encryption) {
                    progress.append($0)
                }
                // Rows are copied by SQLite in one go.
                #expect(progress.last?.fraction == 1 || (key == nil) != (targetKey == nil))
                let isPlain = targetKey == nil
                #expect(try EncryptedStores.file(path(target), has: EncryptedStores.marker) == isPlain, "\(target)")
                #expect(try EncryptedStores.file(path(target), has: "SQLite format 3") == isPlain, "\(target)")
                try EncryptedStores.expect(path(target), targetKey, content)
                let copy = try EncryptedStores.open(path(target), targetKey)
                #expect(try self.catalog(copy) == catalog, "\(target)")
                #expect(try copy.resource(Patient.self, pk: "a pk")?.id == "own-pk")
                #expect(try copy.resource(Patient.self, id: "7")?.pk == plain.resource(Patient.self, id: "7")?.pk)
                try EncryptedStores.fill(copy, 0..<300)
                #expect(try snapshot(copy) == content)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasSuffix(".partial") })
        }
    }

    /// The copy is of one moment, and appears as any backup does.
    @Test func aStoreInMemoryIsCopiedOverAFile() throws {
        try withTemporaryFolder { folder in
            let target = folder + "/copy.sqlite"
            let store = try freshStore()
            try EncryptedStores.fill(store, 0..<20)
            try store.backup(to: URL(fileURLWithPath: target), encryption: .key(EncryptedStores.raw))
            try EncryptedStores.expect(target, EncryptedStores.raw, try snapshot(store))
            #expect(
                #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: target), encryption: .none) }?.code
                    == .alreadyExists)
            try EncryptedStores.fill(store, 20..<30)
            try store.backup(to: URL(fileURLWithPath: target), replacing: true, encryption: .key(EncryptedStores.raw))
            try EncryptedStores.expect(target, EncryptedStores.raw, try snapshot(store))
            let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    /// Nobody can tell an encrypted database from another file, except by its key.
    @Test func anEncryptedDatabaseIsReplacedIfAKeyOpensIt() throws {
        try withTemporaryFolder { folder in
            let (target, other) = (folder + "/copy.sqlite", folder + "/store.sqlite")
            let content = try EncryptedStores.make(other, EncryptedStores.other)
            let store = try EncryptedStores.open(other, EncryptedStores.other)
            let encryptions: [(encryption: FHIRStore.BackupEncryption, key: Secret?)] = [
                (.none, nil), (.same, EncryptedStores.other), (.key(EncryptedStores.raw), EncryptedStores.raw),
            ]
            // Whether the old database is replaced by a copy without a key, with the store's, and with one of its own.
            let cases = [
                (EncryptedStores.other, [true, true, true]), (EncryptedStores.raw, [false, false, true]),
                (EncryptedStores.passphrase, [false, false, false]),
            ]
            for (old, isReplaced) in cases {
                for ((encryption, new), isReplaced) in zip(encryptions, isReplaced) {
                    if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(atPath: target) }
                    try EncryptedStores.make(target, old)
                    let before = try Data(contentsOf: URL(fileURLWithPath: target))
                    if isReplaced {
                        try store.backup(to: URL(fileURLWithPath: target), replacing: true, encryption: encryption)
                        try EncryptedStores.expect(target, new, content)
                    } else {
                        let error = #expect(throws: FHIRStoreError.self) {
                            try store.backup(to: URL(fileURLWithPath: target), replacing: true, encryption: encryption)
                        }
                        #expect(error?.code == .alreadyExists && error?.message.contains("encrypted with another key") == true)
                        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
                        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix("copy.sqlite-") })
                    }
                }
            }
        }
    }
}

import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// A key encrypts or is refused: it is never ignored, and the reasons are told apart.
@Suite struct KeyRefusalTests {
    private func failure(_ body: () throws -> Void) -> FHIRStoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FHIRStoreError
        }
    }

    @Test(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
    func wrongKeysPlainFilesAndMissingKeysAreToldApart() throws {
        try withTemporaryFolder { folder in
            let (secret, plain) = (folder + "/secret.sqlite", folder + "/plain.sqlite")
            for key in EncryptionTests.keys {
                try? FileManager.default.removeItem(atPath: secret)
                let content = try EncryptedStores.make(secret, key)
                try EncryptedStores.expectRefusal(secret, EncryptedStores.other, .wrongKey, says: "give the key it was created with")
                try EncryptedStores.expectRefusal(secret, Secret("a wrong passphrase".utf8), .wrongKey, says: "this key")
                try EncryptedStores.expectRefusal(secret, nil, .missingKey, says: "give its key")
                try EncryptedStores.expect(secret, key, content)
            }
            let content = try EncryptedStores.make(plain, nil)
            for key in EncryptionTests.keys {
                try EncryptedStores.expectRefusal(plain, key, .notEncrypted, says: "open it without a key")
            }
            try EncryptedStores.expect(plain, nil, content)
        }
    }

    /// Recovery opens files in its own way.
    @Test(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
    func recoveryTellsWrongKeysFromPlainFiles() throws {
        try withTemporaryFolder { folder in
            let (secret, plain) = (folder + "/secret.sqlite", folder + "/plain.sqlite")
            try EncryptedStores.make(secret, EncryptedStores.raw)
            try EncryptedStores.make(plain, nil)
            func code(_ path: String, _ key: Secret?) -> FHIRStoreError.Code? {
                failure {
                    try FHIRStore.recover(
                        from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/new.sqlite"), release: .r4, key: key)
                }?.code
            }
            #expect(code(secret, EncryptedStores.other) == .wrongKey)
            #expect(code(secret, nil) == .missingKey)
            #expect(code(plain, EncryptedStores.raw) == .notEncrypted)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["plain.sqlite", "secret.sqlite"])
        }
    }

    @Test(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
    func keysThatAreNoneAndStoresInMemory() throws {
        try withTemporaryFolder { (folder: String) throws in
            for (path, key) in [(folder + "/new.sqlite", Secret([])), (":memory:", EncryptedStores.raw)] {
                let error = #expect(throws: FHIRStoreError.self) { try EncryptedStores.open(path, key) }
                #expect(error?.code == .invalidArgument)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// A text file is no encrypted store, with a key or without.
    @Test func aTextFileIsNoEncryptedStore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/text"
            try Data(String(repeating: "This is not a database. ", count: 512).utf8).write(to: URL(fileURLWithPath: path))
            try EncryptedStores.expectRefusal(path, nil, .notAStore, says: "not an SQLite database")
            if EncryptedStores.areThere {
                try EncryptedStores.expectRefusal(path, EncryptedStores.raw, .notAStore, says: "not an SQLite database")
            }
        }
    }

    /// A library without encryption cannot read such a file, and knows what it may be.
    @Test func withoutAKeyAFileOfRandomBytesMayBeEncrypted() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/random"
            var random = SeededGenerator(seed: 7)
            try Data((0..<8_192).map { _ in UInt8(random.int(0...255)) }).write(to: URL(fileURLWithPath: path))
            try EncryptedStores.expectRefusal(path, nil, .missingKey, says: EncryptedStores.areThere ? "give its key" : "trait SQLCipher")
        }
    }

    @Test(.enabled(if: !EncryptedStores.areThere, "needs a package without the trait SQLCipher"))
    func withoutTheTraitEveryUseOfAKeyIsAnError() throws { try withTemporaryFolder(refusesEveryUse) }

    private func refusesEveryUse(_ folder: String) throws {
        let plain = folder + "/plain.sqlite"
        let new = folder + "/new.sqlite"
        let content = try EncryptedStores.make(plain, nil)
        let store = try EncryptedStores.open(plain, nil)
        let errors = [
            failure { _ = try EncryptedStores.open(new, EncryptedStores.raw) },
            failure { _ = try EncryptedStores.open(":memory:", EncryptedStores.raw) },
            failure { _ = try EncryptedStores.open(plain, EncryptedStores.raw) },
            failure { try store.backup(to: URL(fileURLWithPath: new), encryption: .key(EncryptedStores.raw)) },
            failure {
                try FHIRStore.recover(
                    from: URL(fileURLWithPath: plain), to: URL(fileURLWithPath: new), release: .r4, key: EncryptedStores.raw)
            },
        ]
        for error in errors { #expect(error?.code == .noEncryption && error?.message.contains("trait SQLCipher") == true) }
        #expect(failure { try store.rekey(to: EncryptedStores.raw) }?.code == .notEncrypted)
        try store.backup(to: URL(fileURLWithPath: new), encryption: .none)
        try EncryptedStores.expect(new, nil, content)
        try EncryptedStores.expect(plain, nil, content)
    }
}

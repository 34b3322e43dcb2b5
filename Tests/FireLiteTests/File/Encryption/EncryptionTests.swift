import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// A key encrypts everything that is on the disk, for every connection.
@Suite(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
struct EncryptionTests {
    static let keys = [EncryptedStores.raw, EncryptedStores.passphrase]

    /// The files of a store whose log is full: the database file as it is after a checkpoint, and the log of what came later.
    private func files(_ folder: String, _ key: Secret?) throws -> [String: Bool] {
        let path = folder + "/\(key == nil ? "plain" : "secret").sqlite"
        let store = try EncryptedStores.open(path, key)
        try EncryptedStores.fill(store, 0..<40)
        try store.checkpoint(.truncate)
        try EncryptedStores.fill(store, 40..<80)
        #expect(try store.resource(Patient.self, id: "79")?.name[0].family == EncryptedStores.marker)
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 > 10_000)
        return [
            "file": try EncryptedStores.file(path, has: EncryptedStores.marker),
            "log": try EncryptedStores.file(path + "-wal", has: EncryptedStores.marker),
            "shared memory": try EncryptedStores.file(path + "-shm", has: EncryptedStores.marker),
            "schema": try EncryptedStores.file(path, has: "CREATE TABLE"),
        ]
    }

    @Test(arguments: keys) func noValueIsInTheFileNorInItsLog(_ key: Secret) throws {
        try withTemporaryFolder { folder in
            #expect(try files(folder, key) == ["file": false, "log": false, "shared memory": false, "schema": false])
            // The search finds what is there.
            #expect(try files(folder, nil) == ["file": true, "log": true, "shared memory": false, "schema": true])
            #expect(try !EncryptedStores.file(folder + "/secret.sqlite", has: "SQLite format 3"))
            let store = try EncryptedStores.open(folder + "/secret.sqlite", key)
            #expect(try store.count(Patient.self) == 80)
            try expectSound(store)
        }
    }

    /// Eight readers at once, of which each has a connection of its own, while the writer goes on.
    @Test func everyReaderHasTheKey() throws {
        try withTemporaryFolder { folder in
            let store = try EncryptedStores.open(folder + "/store.sqlite", EncryptedStores.raw)
            try EncryptedStores.fill(store, 0..<50)
            let (threads, together, gates) = (Threads(), Gate(), (0..<8).map { _ in Gate() })
            for gate in gates {
                threads.start {
                    try store.read { tx in
                        gate.open()
                        together.wait()
                        let (count, patient) = (try tx.count(Patient.self), try tx.resource(Patient.self, id: "7"))
                        #expect(count == 50 && patient?.name[0].given[0] == EncryptedStores.marker + "-7")
                    }
                }
            }
            for gate in gates { #expect(gate.wait()) }
            together.open()
            try threads.finish()
            try EncryptedStores.fill(store, 50..<60)
            #expect(try store.count(Patient.self) == 60)
        }
    }

    /// Upkeep leaves what it writes encrypted, with the same key.
    @Test(arguments: keys) func upkeepKeepsTheKey(_ key: Secret) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try { () throws -> [String: String] in
                let store = try EncryptedStores.open(path, key) { $0.secureDelete = true }
                try EncryptedStores.fill(store, 0..<200)
                try store.write { tx in for id in 0..<150 { try tx.delete(Patient.self, id: "\(id)") } }
                try store.optimize()
                try store.vacuum()
                try store.checkpoint(.truncate)
                try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
                return try snapshot(store)
            }()
            #expect(content.count == 50)
            try FHIRStore.recover(
                from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4, key: key)
            for name in ["store", "copy", "recovered"] {
                #expect(try !EncryptedStores.file("\(folder)/\(name).sqlite", has: EncryptedStores.marker))
                try EncryptedStores.expect("\(folder)/\(name).sqlite", key, content)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
        }
    }

    /// Each page has a code that authenticates it: what was changed on the disk is never taken for what was written.
    @Test func flippedBitsAreNoticed() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            var (right, errors) = (0, 0)
            for place in stride(from: 5, to: bytes.count, by: bytes.count / 60) {
                var damaged = bytes
                damaged[place] ^= 4
                let copy = folder + "/damaged.sqlite"
                for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
                try Data(damaged).write(to: URL(fileURLWithPath: copy))
                do {
                    let store = try EncryptedStores.open(copy, EncryptedStores.raw)
                    #expect(try snapshot(store) == content)
                    right += 1
                } catch let error as FHIRStoreError {
                    errors += 1
                    expectHelpful(error, path: copy, codes: [.notAStore, .wrongKey], "byte \(place)")
                    #expect(error.message.contains("damaged"))
                }
            }
            #expect(errors > right)
        }
    }

    /// What is on other pages than the damaged one is saved, and the rest is listed.
    @Test func aDamagedStoreIsRecovered() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try { () throws -> [String: String] in
                let store = try EncryptedStores.open(path, EncryptedStores.raw)
                try EncryptedStores.fill(store, 0..<500)
                return try snapshot(store)
            }()
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            bytes[bytes.count / 2] ^= 4
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let report = try FHIRStore.recover(
                from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/new.sqlite"), release: .r4, key: EncryptedStores.raw)
            let saved = try snapshot(EncryptedStores.open(folder + "/new.sqlite", EncryptedStores.raw))
            #expect(saved.count == report.recovered && saved.allSatisfy { content[$0.key] == $0.value })
            #expect(!report.isComplete && report.recovered > 400)
            print("recovered from an encrypted store with a damaged page: \(report.recovered) of \(content.count)")
        }
    }
}

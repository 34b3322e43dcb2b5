import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

/// Files that another program has written to without the library, and what makes them usable again.
@Suite(.enabled(if: Library.hasPageChecksums, "needs SQLite 3.32")) struct ResealTests {
    private func withStore(_ body: (_ path: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.createIndex(Patient.self) { $0.name.family }
                try store.write { tx in
                    try tx.upsert(
                        (0..<500).map { number in
                            Patient {
                                $0.id = "\(number)"
                                $0.name = [HumanName { $0.family = "Family \(number)" }]
                            }
                        })
                }
            }
            try body(path)
        }
    }

    /// Writes as a program does that does not know the checksums.
    private func write(_ path: String, _ sql: String) throws {
        let connection = try Connection(path: path, pageChecksums: .ignored)
        try connection.execute(sql)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private let tablesOfAReplica = """
        CREATE TABLE _replica_seq(id INTEGER PRIMARY KEY, seq INTEGER); INSERT INTO _replica_seq VALUES (1, 1);
        CREATE TABLE _replica_lock(id INTEGER); PRAGMA user_version
        """

    @Test func aStoreThatAnotherProgramWroteToIsUsableAgain() throws {
        try withStore { path in
            let before = try snapshot(FHIRStore(path: path, release: .r4))
            try write(path, tablesOfAReplica)
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4).check() }
            #expect(error?.message.contains("firelite reseal") == true)
            let report = try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4)
            #expect(report.resources == 500 && report.pages > 1)
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try snapshot(store) == before)
            #expect(try store.query(Patient.self).where { $0.name.family == "Family 7" }.ids() == ["7"])
            #expect(try store.sql("SELECT seq FROM _replica_seq").first?[0].integer == 1)
            try expectSound(store)
            try store.write { tx in try tx.add(Patient { $0.id = "new" }) }
            try expectSound(store)
        }
    }

    @Test func aStoreThatNobodyElseWroteToIsResealedToo() throws {
        try withStore { path in
            let before = try snapshot(FHIRStore(path: path, release: .r4))
            #expect(try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4).resources == 500)
            #expect(try snapshot(FHIRStore(path: path, release: .r4)) == before)
        }
    }

    @Test(arguments: [
        "UPDATE Patient_name SET family = 'X' WHERE family = 'Family 9'", "DELETE FROM Patient_name WHERE family = 'Family 9'",
        "INSERT INTO Patient_name(_k, _parent, _ord, family) VALUES (9000000000, 0, 0, 'X')", "DELETE FROM _resource WHERE root = 5",
        "UPDATE _meta SET value = 3 WHERE key = 'nextRoot'",
    ]) func whatIsNotWhatWasStoredIsLeftAsItIs(_ sql: String) throws {
        try withStore { path in
            try write(path, sql)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let isMended = sql.contains("nextRoot")
            if isMended {
                try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4)
                return
            }
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4) }
            #expect(error?.code == .notAStore && error?.message.contains("was not changed") == true, "\(error.map { "\($0)" } ?? "")")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test func aStoreInUseIsRefused() throws {
        try withStore { path in
            let store = try FHIRStore(path: path, release: .r4)
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(10)
            try store.write { tx in
                try tx.add(Patient())
                let error = #expect(throws: FHIRStoreError.self) {
                    try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4, configuration: configuration)
                }
                #expect(error?.code == .busy)
            }
        }
    }

    @Test func whatIsNoStoreIsRefused() throws {
        try withTemporaryFolder { folder in
            let missing = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.reseal(URL(fileURLWithPath: folder + "/none.sqlite"), release: .r4)
            }
            #expect(missing?.code == .cannotOpen && !FileManager.default.fileExists(atPath: folder + "/none.sqlite"))
            var configuration = FHIRStore.Configuration()
            configuration.checksPages = false
            _ = try FHIRStore(path: folder + "/plain.sqlite", release: .r4, configuration: configuration)
            let plain = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.reseal(URL(fileURLWithPath: folder + "/plain.sqlite"), release: .r4)
            }
            #expect(plain?.code == .invalidArgument)
            #expect(throws: FHIRStoreError.self) { try FHIRStore.reseal(URL(fileURLWithPath: ":memory:"), release: .r4) }
        }
    }
}

import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

/// What is no store of the release is refused, and left as it is.
@Suite struct OpeningTests {
    private func expectRefusal(of path: String, _ code: FHIRStoreError.Code, says word: String) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    /// Makes a store and has plain SQL change it.
    private func withStore(changedBy sql: String, _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            }
            do {
                let connection = try Connection(path: path)
                try connection.execute(sql)
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try body(path)
        }
    }

    @Test func aStoreOfAnotherReleaseIsRefused() throws {
        try withStore(changedBy: "UPDATE _meta SET value = 'R5' WHERE key = 'release'") { path in
            try expectRefusal(of: path, .wrongRelease, says: "holds FHIR R5, not R4")
        }
    }

    @Test func aNewerFormatIsRefused() throws {
        try withStore(changedBy: "PRAGMA user_version = 99") { path in
            try expectRefusal(of: path, .newerFormat, says: "has format 99")
        }
    }

    @Test func anotherProgramsDatabaseIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/other.sqlite"
            do {
                let connection = try Connection(path: path)
                try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            }
            try expectRefusal(of: path, .notAStore, says: "not a FireLite store")
        }
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/text.txt"
            try Data(String(repeating: "This is not a database. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
            try expectRefusal(of: path, .notAStore, says: "not an SQLite database")
        }
    }

    @Test func aMissingFolderIsNamed() throws {
        try withTemporaryFolder { folder in
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: folder + "/no/such/store.sqlite", release: .r4) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.contains("folder exists") == true)
        }
    }

    @Test(arguments: ["deleted", "moved", "replaced"])
    func aFileThatIsNoLongerAtItsPlaceIsNotWritten(_ way: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            if way == "moved" { rename(path, folder + "/elsewhere.sqlite") } else { unlink(path) }
            if way == "replaced" { try Data().write(to: URL(fileURLWithPath: path)) }
            let patient = Patient { $0.id = "2" }
            let error = #expect(throws: FHIRStoreError.self) { try store.write { tx in try tx.add(patient) } }
            #expect(error?.code == .fileHasMoved)
            #expect(!patient.isManaged)
            // A write without changes does no harm.
            #expect(try store.write { tx in try tx.count(Patient.self) } == 1)
            if way == "moved" {
                rename(folder + "/elsewhere.sqlite", path)
                try store.write { tx in try tx.add(patient) }
                #expect(try store.query(Patient.self).ids() == ["1", "2"])
            }
        }
    }

    /// Another program may replace the file after it was opened and before anything of it was read, as a change of the key does: what was opened is
    /// not taken for the store. The reading connection, which comes first, is given up; the writing one reports it.
    @Test(arguments: [1, 2]) func aFileThatIsReplacedWhileItIsOpenedIsNotTaken(_ connection: Int) throws {
        try withTemporaryFolder { folder in
            let (path, other, first) = (folder + "/store.sqlite", folder + "/other.sqlite", folder + "/first")
            for (path, id) in [(path, "old"), (other, "new")] {
                try FHIRStore(path: path, release: .r4).write { tx in try tx.add(Patient { $0.id = id }) }
            }
            if connection == 2 { try Data().write(to: URL(fileURLWithPath: first)) }
            var configuration = FHIRStore.Configuration()
            // A file that has not promised it is opened for writing.
            configuration.uniqueIDs = connection == 2
            configuration.observeStatements = { statement in
                // The first statement of a connection that is reported, before the first read.
                guard statement.sql.contains("synchronous"), unlink(first) != 0 else { return }
                rename(other, path)
            }
            if connection == 1 {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                #expect(try store.query(Patient.self).ids() == ["new"])
            } else {
                let error = #expect(throws: FHIRStoreError.self) {
                    try FHIRStore(path: path, release: .r4, configuration: configuration)
                }
                #expect(error?.code == .fileHasMoved)
            }
            #expect(!FileManager.default.fileExists(atPath: other))
            #expect(try FHIRStore(path: path, release: .r4).query(Patient.self).ids() == ["new"])
        }
    }
}

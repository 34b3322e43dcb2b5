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
}

import CFaultVFS
import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Files of every format that a release of the library has written open and give what was stored.
///
/// `Fixtures/formatN.sql` is a file of format N as SQLite's shell dumps it, with its two numbers of the header; `formatN.ndjson` is its content.
@Suite struct FixtureTests {
    private static let folder = PackageFolder.url.appendingPathComponent("Tests/FireLiteTests/Fixtures")

    private func content(_ format: Int) throws -> [String] {
        try String(contentsOf: Self.folder.appendingPathComponent("format\(format).ndjson"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// Makes a file of a format.
    private func withFile(_ format: Int, changedBy sql: String = "", _ body: (_ path: String) throws -> Void) throws {
        let dump = try String(contentsOf: Self.folder.appendingPathComponent("format\(format).sql"), encoding: .utf8)
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let connection = try Connection(path: path)
                try connection.execute(dump + sql)
                #expect(try connection.integer("PRAGMA user_version") == Int64(format))
            }
            try body(path)
        }
    }

    /// The lines of all resources.
    private func lines(_ store: FHIRStore) throws -> [String] {
        var lines: [String] = []
        try store.read { tx in
            for type in ["Patient", "Observation", "Questionnaire"] {
                try tx.forEach(typeName: type) { lines.append(String(decoding: FHIRJSON.data($0), as: UTF8.self)) }
            }
        }
        return lines
    }

    @Test(arguments: [1, 2]) func everyFormatOpens(_ format: Int) throws {
        let lines = try content(format)
        try withFile(format) { path in
            let store = try FHIRStore(path: path, release: .r4)
            try expectSound(store)
            #expect(try Connection(path: path).integer("PRAGMA user_version") == 2)
            #expect(try self.lines(store) == lines)
            // What is stored is known again, and changes.
            let resources = try lines.map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) }
            #expect(try store.write { tx in try tx.upsert(resources).unchanged } == lines.count)
            let patient = try #require(try store.resource(Patient.self, id: "p1"))
            try store.write { _ in patient.name[1].given = ["Changed"] }
            #expect(try store.resource(Patient.self, id: "p1") == patient)
            try expectSound(store)
        }
    }

    /// An upgrade takes what is damaged for damaged, as the format before did.
    @Test func anUpgradeDoesNotBelieveWhatHasChanged() throws {
        let lines = try content(1)
        try withFile(1, changedBy: ";UPDATE Patient_name SET family = 'Other'") { path in
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.check().map(\.text) == ["the rows of the resource with number 1 are not what was stored"])
            let error = #expect(throws: FHIRStoreError.self) { try store.resource(Patient.self, id: "p1") }
            #expect(error?.code == .notAStore)
            let others = try lines.dropFirst().map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) }
            #expect(try store.write { tx in try tx.upsert(others).unchanged } == others.count)
        }
    }

    /// Each call to the disk fails in turn, for good: the file is of one format or the other, and has all of its content.
    @Test(arguments: [(FIRELITE_WRITE, 3), (FIRELITE_SYNC, 4), (FIRELITE_READ, 1), (FIRELITE_SHM_MAP, 19)] as [(firelite_call, Int32)])
    func anUpgradeOnAFailingDiskLosesNothing(_ call: firelite_call, _ extension: Int32) throws {
        let lines = try content(1)
        var (failed, isDone) = (0, false)
        for number in 1...200 where !isDone {
            try withFile(1) { path in
                let disk = FaultDisk(folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
                disk.fail(call, at: number, code: 10 | `extension` << 8, lasting: true)
                do {
                    _ = try FHIRStore(path: path, release: .r4)
                } catch {
                    failed += 1
                    #expect(error is FHIRStoreError)
                }
                isDone = disk.failures == 0
                disk.mend()
                #expect(try [1, 2].contains(Connection(path: path).integer("PRAGMA user_version")))
                let store = try FHIRStore(path: path, release: .r4)
                #expect(try self.lines(store) == lines)
                try expectSound(store)
            }
        }
        #expect(isDone && failed > 0)
    }

    /// Where the classes have changed since, the digests of format 1 cannot tell.
    @Test func anUpgradeWithOtherClasses() throws {
        let lines = try content(1)
        let sql = ";UPDATE _meta SET value = '0123456789abcdef' WHERE key = 'model'; UPDATE _resource SET digest = randomblob(16)"
        try withFile(1, changedBy: sql) { path in
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: .r4)
            #expect(report.recovered == lines.count && report.unverified.count == lines.count && report.lost.isEmpty)
            for path in [path, path + ".new"] {
                let store = try FHIRStore(path: path, release: .r4)
                try expectSound(store)
                #expect(try self.lines(store) == lines)
            }
        }
    }

    @Test(arguments: [1, 2]) func everyFormatIsRecovered(_ format: Int) throws {
        let lines = try content(format)
        try withFile(format) { path in
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(
                try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: .r4).isComplete)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            let store = try FHIRStore(path: path + ".new", release: .r4)
            #expect(try self.lines(store) == lines)
            try expectSound(store)
        }
        try withFile(format, changedBy: ";UPDATE Patient_name SET family = 'Other'") { path in
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: .r4)
            #expect(report.lost.map(\.id) == ["p1"] && report.recovered == lines.count - 1)
        }
    }
}

import FireLiteReleases
@_spi(Testing) import FireLiteSQLiteBridge
import FireLiteSync
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// Files that were written before open and give what was stored, whatever module wrote them; a change of the format upgrades them.
@Suite(.timeLimit(.minutes(10))) struct FormatTests {
    /// The formats of today's files: with a change log, and without.
    private static let formats: ClosedRange<Int64> = 2...3

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["FIRELITE_WRITE_FIXTURES"] != nil,
            "set FIRELITE_WRITE_FIXTURES to write what is missing"))
    func missingFixturesAreWritten() async throws {
        try FileManager.default.createDirectory(at: Fixture.folder, withIntermediateDirectories: true)
        for fixture in Fixture.all
        where !FileManager.default.fileExists(atPath: Fixture.folder.appendingPathComponent("\(fixture.name).sql").path) {
            try await fixture.write()
        }
    }

    @Test(arguments: Fixture.all) func everyFileOpensWithItsContent(_ fixture: Fixture) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try fixture.restore(to: path)
        let store = try FHIRStore(path: path, release: fixture.release)
        #expect(try await store.check().map(\.text) == [])
        let format = try #require(try Connection(path: path).integer("PRAGMA user_version"))
        #expect(Self.formats.contains(format))
        let lines = try fixture.lines
        #expect(try Fixture.resources(store) == lines)
        try await fixture.verify(store)
        // What is stored is known again.
        let release = try fixture.release
        if !lines.contains(where: { $0.contains("blob:sha256") }) {
            let resources = try lines.map { try FHIRJSON.resource(from: Data($0.utf8), release: release) }
            let unchanged = try await store.write { tx in try tx.upsert(resources).unchanged }
            #expect(unchanged == lines.count)
        }
        #expect(try await store.check().map(\.text) == [])
    }

    @Test(arguments: Fixture.all) func everyFileIsRecovered(_ fixture: Fixture) throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.file("store.sqlite"), folder.file("copy.sqlite"))
        try fixture.restore(to: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: copy), release: fixture.release)
        #expect(report.lost.isEmpty && report.unreadable.isEmpty, "\(report)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let store = try FHIRStore(path: copy, release: fixture.release)
        #expect(try Fixture.resources(store) == fixture.lines)
        #expect(try store.check().map(\.text) == [])
    }

    /// A build refuses what a later one has written, says so, and leaves it as it is.
    @Test(arguments: Fixture.all) func aLaterFormatIsRefusedUntouched(_ fixture: Fixture) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try fixture.restore(to: path)
        let later = Self.formats.upperBound + 1
        try Connection(path: path).execute("PRAGMA user_version = \(later)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = try #require(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: fixture.release) }
        #expect(error.code == .newerFormat && error.message.contains("format \(later)"), "\(error.message)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}

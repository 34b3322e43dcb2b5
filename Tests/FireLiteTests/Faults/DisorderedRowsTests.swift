import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// Files whose rows are not in the order of their keys: a loop from key to key would go back with them for ever.
@Suite struct DisorderedRowsTests {
    private static let count = 2_000
    /// Without checksums of pages, which would refuse the changed page.
    private static var configuration: FHIRStore.Configuration {
        var configuration = FHIRStore.Configuration()
        configuration.checksPages = false
        return configuration
    }

    /// A store with two pages of a table exchanged.
    private func disordered(_ table: String, at path: String, _ fill: (FHIRStore) throws -> Void = { _ in }) throws {
        let store = try FHIRStore(path: path, release: .r4, configuration: Self.configuration)
        try fill(store)
        try store.write { tx in _ = try tx.upsert((0..<Self.count).map { number in Patient { $0.id = "\(number)" } }) }
        try store.close()
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = '\(table)'"
        let root = try #require(try Connection(path: path, pageChecksums: .ignored).integer(sql))
        let size = try #require(try Connection(path: path, pageChecksums: .ignored).integer("PRAGMA page_size"))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((root - 1) * size))
        var page = [UInt8](try #require(try file.read(upToCount: Int(size))))
        // An interior page of a table: the cells of its children, each with the number of a page in its first four bytes.
        try #require(page[0] == 5)
        let cells = Int(page[3]) << 8 | Int(page[4])
        try #require(cells >= 4)
        func place(_ cell: Int) -> Int { Int(page[12 + 2 * cell]) << 8 | Int(page[13 + 2 * cell]) }
        // The first child and the last one, whose number is in the head of the page.
        for byte in 0..<4 { page.swapAt(place(0) + byte, 8 + byte) }
        try file.seek(toOffset: UInt64((root - 1) * size))
        try file.write(contentsOf: Data(page))
        try file.close()
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["_resource", "Patient", "_change"]) func loopsOverDisorderedRowsEnd(_ table: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            var start: Int64 = 0
            try disordered(table, at: path) { store in
                try store.track(.changes)
                start = try store.read { try $0.newestChange() }
            }
            let store = try FHIRStore(path: path, release: .r4, configuration: Self.configuration)
            let findings = try store.check()
            #expect(!findings.isEmpty, "\(table)")
            var exported = 0
            do {
                try store.read { try $0.forEach(Patient.self) { _ in exported += 1 } }
            } catch let error as FHIRStoreError { #expect(error.code == .notAStore, "\(error)") }
            #expect(exported <= Self.count)
            do {
                _ = try store.read { try $0.changes(since: start) }
            } catch let error as FHIRStoreError { #expect(error.code == .notAStore, "\(error)") }
            try store.close()
            let report = try FHIRStore.recover(
                from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/copy.sqlite"), release: .r4)
            #expect(report.recovered <= Self.count, "\(report)")
        }
    }
}

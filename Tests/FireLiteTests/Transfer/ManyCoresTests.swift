import FireLiteCore
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// What several cores export is what one exports.
@Suite struct ManyCoresTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
    }

    private func open(cores: Int) throws -> FHIRStore { try CoresStore.open(path, cores: cores) }

    private func fill(_ store: FHIRStore, count: Int, seed: UInt64) throws { try CoresStore.fill(store, count: count, seed: seed) }

    private func files(_ name: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.file(name)) {
            files[file] = try Data(contentsOf: URL(fileURLWithPath: folder.file(name) + "/" + file))
        }
        return files
    }

    private func export(cores: Int, _ options: ExportOptions = ExportOptions()) throws -> (ExportResult, [String: Data]) {
        let name = "cores\(cores)"
        try? FileManager.default.removeItem(atPath: folder.file(name))
        let result = try open(cores: cores).export(to: URL(fileURLWithPath: folder.file(name)), options: options)
        return (result, try files(name))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func filesAreTheSameHoweverManyCores(_ seed: UInt64) throws {
        try fill(open(cores: 1), count: [3, 700, 2_100][Int(seed) - 1], seed: seed)
        for assignsIDs in [false, true] {
            for format in ExportOptions.Format.allCases {
                var options = ExportOptions()
                (options.assignsIDs, options.format) = (assignsIDs, format)
                let one = try export(cores: 1, options)
                #expect(one.1.count == 2)
                for cores in [2, 5] {
                    let many = try export(cores: cores, options)
                    #expect(many.0 == one.0)
                    #expect(many.1 == one.1)
                }
            }
        }
    }

    /// Every write adds one resource of each of two types, so that a snapshot has as many of one as of the other.
    @Test func allCoresReadOneSnapshotWhileOthersWrite() async throws {
        let path = path
        try CoresStore.addPairs(400, "a", to: path)
        let writing = _Concurrency.Task.detached { try CoresStore.addPairs(300, "b", each: 1, to: path) }
        for _ in 0..<20 {
            let (result, files) = try export(cores: 4)
            let counts = files.values.map { data in data.count(where: { $0 == UInt8(ascii: "\n") }) }
            #expect(counts.count == 2 && counts[0] == counts[1] && result.exported == 2 * counts[0])
        }
        try await writing.value
    }

    @Test func progressCountsUpAndCanEndTheExport() throws {
        struct Enough: Error {}
        let store = try open(cores: 3)
        try fill(store, count: 2_500, seed: 9)
        let output = URL(fileURLWithPath: folder.file("out"))
        var seen: [Int] = []
        let result = try store.export(to: output, options: ExportOptions()) { seen.append($0.completed) }
        #expect(seen == seen.sorted() && seen.last == result.exported && seen.count >= result.exported / 1_000)
        let cut = URL(fileURLWithPath: folder.file("cut"))
        #expect(throws: Enough.self) {
            try store.export(to: cut, options: ExportOptions()) { if $0.completed >= 1_000 { throw Enough() } }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: cut.path).isEmpty)
        // Its connections are gone, so that the store can be closed.
        try store.close()
    }

    @Test func aDamagedResourceEndsTheExportOfAllCores() throws {
        let store = try open(cores: 3)
        try fill(store, count: 1_500, seed: 4)
        try store.close()
        let tool = try Connection(path: path, pageChecksums: .unverified)
        try tool.execute("UPDATE Patient_name SET family = 'other' WHERE _k = (SELECT max(_k) FROM Patient_name)")
        #expect { try export(cores: 3) } throws: { ($0 as? FHIRStoreError)?.code == .notAStore }
        #expect { try export(cores: 1) } throws: { ($0 as? FHIRStoreError)?.code == .notAStore }
    }
}

import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Whole files changed at the level of SQL, through everything that can be done with a file: a value or an error, no crash, no hang, no file
/// touched but its own.
@Suite struct FileMutationTests {
    /// The seeds of the files; `FIRELITE_FILES=0..<20000` names others.
    private static let files = Effort.seeds(of: "FIRELITE_FILES") ?? 0..<(Effort.isNightly ? 120 : 40)
    private static let batch: UInt64 = 20

    /// A child goes through each batch, and says which file it is at, so that a crash names its seed.
    @Test(arguments: Array(stride(from: files.lowerBound, to: files.upperBound, by: Int(batch))))
    func noChangedFileDoesHarm(first: UInt64) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [first] in
            try FileMutationTests.run(first..<min(first + FileMutationTests.batch, FileMutationTests.files.upperBound))
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        if result == nil || !output.contains("end of batch") {
            Issue.record("the last of: \(output.split(separator: "\n").filter { $0.hasPrefix("seed ") }.suffix(1))")
        }
    }

    static func run(_ seeds: Swift.Range<UInt64>) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try CraftedFiles.make(folder + "/original.sqlite", hasIndexes: true) { _ in }
        let original = try Data(contentsOf: URL(fileURLWithPath: folder + "/original.sqlite"))
        for seed in seeds {
            FileHandle.standardError.write(Data("seed \(seed)\n".utf8))
            let place = folder + "/\(seed)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let path = place + "/store.sqlite"
            try original.write(to: URL(fileURLWithPath: path))
            let statements: [String]
            do {
                let connection = try Connection(path: path, pageChecksums: .ignored, isHardened: false)
                var mutation = FileMutation(seed: seed, connection)
                statements = try mutation.run()
                // A catalog that cannot be read any more cannot be moved into the file, and stays in the log.
                do { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") } catch is SQLiteError {}
            }
            let start = clock()
            CraftedFiles.tryEverything(path, place)
            let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
            #expect(seconds < 10, "seed \(seed) took \(seconds) s: \(statements)")
            let names = try FileManager.default.contentsOfDirectory(atPath: place)
            let own = ["store.sqlite", "backup.sqlite", "recovered.sqlite"]
            #expect(names.allSatisfy { name in own.contains { name.hasPrefix($0) } }, "seed \(seed): \(names)")
            try FileManager.default.removeItem(atPath: place)
        }
        FileHandle.standardError.write(Data("end of batch\n".utf8))
    }
}

import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// A backup is the store at one moment, whole or not there.
@Suite(.soundStores) struct BackupTests {
    private struct Enough: Error {}

    private func fill(_ store: FHIRStore, _ range: ClosedRange<Int>) throws {
        try store.write { tx in
            try tx.upsert(
                range.map { index in
                    Patient {
                        $0.id = "\(index)"; $0.name = [HumanName { $0.family = String(repeating: "x", count: 400) }]
                    }
                })
        }
    }

    @Test func aBackupIsASnapshotWhileOthersWrite() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try fill(store, 1...6_000)
            let threads = Threads()
            var fractions: [Double] = []
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite")) { progress in
                if fractions.isEmpty {
                    // Another thread commits while the copy is under way.
                    let written = Gate()
                    threads.start {
                        try self.fill(store, 6_001...6_100)
                        written.open()
                    }
                    #expect(written.wait())
                }
                fractions.append(try #require(progress.fraction))
            }
            try threads.finish()
            #expect(fractions.count > 2 && fractions == fractions.sorted() && fractions.last == 1)
            #expect(fractions.allSatisfy { $0 > 0 && $0 <= 1 })
            #expect(try store.count(Patient.self) == 6_100)
            let copy = try FHIRStore(path: folder + "/copy.sqlite", release: .r4)
            #expect(try copy.count(Patient.self) == 6_000)
            try expectSound(copy)
            #expect(try copy.resource(Patient.self, id: "77") == store.resource(Patient.self, id: "77"))
            #expect(try copy.resource(Patient.self, id: "77")?.pk == store.resource(Patient.self, id: "77")?.pk)
        }
    }

    @Test func aBackupIsCancelledByThrowing() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try fill(store, 1...6_000)
            #expect(throws: Enough.self) { try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite")) { _ in throw Enough() } }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { $0.hasPrefix("store.sqlite") })
            try fill(store, 1...10)
            try expectSound(store)
        }
    }

    @Test func aFileIsReplacedOnlyWhereAskedFor() throws {
        try withTemporaryFolder { folder in
            let (path, target) = (folder + "/store.sqlite", folder + "/copy.sqlite")
            let store = try FHIRStore(path: path, release: .r4)
            try fill(store, 1...10)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
            let error = #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: target)) }
            #expect(error?.code == .alreadyExists)
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
            try FHIRStore(path: folder + "/other.sqlite", release: .r4).close()
            try Data(contentsOf: URL(fileURLWithPath: folder + "/other.sqlite")).write(to: URL(fileURLWithPath: target))
            try store.backup(to: URL(fileURLWithPath: target), replacing: true)
            #expect(try FHIRStore(path: target, release: .r4).count(Patient.self) == 10)
            #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: path), replacing: true) }
            #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: folder), replacing: true) }
            #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: folder + "/no/copy.sqlite")) }
            let inUse = try FHIRStore(path: target, release: .r4)
            try fill(inUse, 1...20)
            let used = #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: target), replacing: true) }
            #expect(used?.message.contains("-wal") == true)
            #expect(try inUse.count(Patient.self) == 20)
        }
    }

    /// Whatever its size: archives and disk images have whole blocks, as an encrypted database has.
    @Test func aFileThatIsNoDatabaseIsNotReplaced() throws {
        try withTemporaryFolder { folder in
            let target = folder + "/photos.tar"
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try fill(store, 1...10)
            let header = Data("SQLite format 3".utf8)
            // Compressed content has all values, as encrypted content has.
            let mixed = Data((1...8_700 as ClosedRange<UInt32>).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 19) })
            let contents =
                [512, 700, 1_536, 4_096, 8_192, 8_700].map { mixed.prefix($0) }
                + [
                    Data(repeating: 0, count: 8_192), Data(repeating: UInt8(ascii: "X"), count: 8_192),
                    header + Data(repeating: 1, count: 4_081),
                ]
            for content in contents {
                try content.write(to: URL(fileURLWithPath: target))
                let error = #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: target), replacing: true) }
                #expect(error?.code == .alreadyExists && error?.message.contains("photos.tar is not a database") == true)
                #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content)
            }
            // An empty file is nothing to lose, and a damaged database is one.
            for content in [Data(), header + Data(repeating: 0, count: 4_081)] {
                try content.write(to: URL(fileURLWithPath: target))
                try store.backup(to: URL(fileURLWithPath: target), replacing: true)
                #expect(try FHIRStore(path: target, release: .r4).count(Patient.self) == 10)
            }
        }
    }

    /// How another connection has the file open that is to be replaced.
    enum Use: CaseIterable, Sendable { case idle, reading, writing }

    /// An older connection would write to the new file's log.
    @Test(arguments: Use.allCases) func aFileThatIsOpenIsNotReplaced(_ use: Use) throws {
        try withTemporaryFolder { folder in
            let target = folder + "/copy.sqlite"
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try fill(store, 1...10)
            try store.backup(to: URL(fileURLWithPath: target))
            do {
                let other = try Connection(path: target)
                // As a database that others have open: with an empty log.
                #expect(try other.text("PRAGMA journal_mode = WAL") == "wal")
                #expect(try other.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
                switch use {
                case .idle: break
                case .reading:
                    try other.execute("BEGIN")
                    #expect(try other.integer("SELECT count(*) FROM _resource") == 10)
                case .writing: try other.execute("BEGIN IMMEDIATE")
                }
                try fill(store, 11...20)
                let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                let error = #expect(throws: FHIRStoreError.self) { try store.backup(to: URL(fileURLWithPath: target), replacing: true) }
                #expect(error?.code == .busy && error?.message.contains("copy.sqlite is open elsewhere") == true)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
                #expect(try other.integer("SELECT count(*) FROM _resource") == 10)
            }
            // Once it is closed, it is replaced, and nothing of it stays.
            try store.backup(to: URL(fileURLWithPath: target), replacing: true)
            #expect(["-wal", "-shm", "-journal"].allSatisfy { !FileManager.default.fileExists(atPath: target + $0) })
            let copy = try FHIRStore(path: target, release: .r4)
            #expect(try copy.count(Patient.self) == 20)
            try expectSound(copy)
        }
    }

    @Test func aStoreInMemoryIsBackedUp() throws {
        try withTemporaryFolder { folder in
            let store = try freshStore()
            try fill(store, 1...10)
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
            #expect(try FHIRStore(path: folder + "/copy.sqlite", release: .r4).count(Patient.self) == 10)
        }
    }
}

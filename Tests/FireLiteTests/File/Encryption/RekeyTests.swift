import CFaultVFS
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite

/// Another key for a store that is open and in use.
@Suite(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
struct RekeyTests {
    private static let pairs = [
        (EncryptedStores.raw, EncryptedStores.other), (EncryptedStores.raw, EncryptedStores.passphrase),
        (EncryptedStores.passphrase, EncryptedStores.raw),
    ]

    /// The store goes on with the new key, its readers and its managed objects too, and nothing is left of the old key.
    @Test(arguments: pairs) func theStoreGoesOnWithTheNewKey(_ old: Secret, _ new: Secret) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try { () throws -> [String: String] in
                let store = try EncryptedStores.open(path, old)
                try EncryptedStores.fill(store, 0..<50)
                let patient = try #require(try store.resource(Patient.self, id: "7"))
                try store.rekey(to: new)
                #expect(try store.count(Patient.self) == 50)
                try store.write { _ in patient.name[0].family = EncryptedStores.marker + "-changed" }
                try EncryptedStores.fill(store, 50..<60)
                #expect(try EncryptedStores.file(path + "-wal", has: EncryptedStores.marker) == false)
                try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
                try expectSound(store)
                // A second store of the same file, by the configuration of the first.
                #expect(try FHIRStore(path: path, release: .r4, configuration: store.configuration).count(Patient.self) == 60)
                return try snapshot(store)
            }()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["copy.sqlite", "store.sqlite"])
            for name in ["store", "copy"] {
                try EncryptedStores.expectRefusal("\(folder)/\(name).sqlite", old, .wrongKey, says: "this key")
                try EncryptedStores.expect("\(folder)/\(name).sqlite", new, content)
                #expect(try !EncryptedStores.file("\(folder)/\(name).sqlite", has: EncryptedStores.marker))
            }
        }
    }

    ///     task       | rekey … first megabyte |              | CancellationError
    ///     this one   |                        | cancel, open |
    @Test func aCancelledCallKeepsTheKey() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let store = try EncryptedStores.open(path, EncryptedStores.raw)
        try EncryptedStores.fill(store, 0..<5_000)
        let content = try snapshot(store)
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = Gate()
        let task = _Concurrency.Task {
            try await store.rekey(to: EncryptedStores.other) { progress in
                #expect(progress.phase == .copying && progress.unit == .pages)
                signal.yield()
                isCancelled.wait()
            }
        }
        for await _ in began { break }
        task.cancel()
        isCancelled.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        try store.blocking { store in
            #expect(try snapshot(store) == content)
            try EncryptedStores.fill(store, 0..<10)
            #expect(try store.check().isEmpty)
            struct Enough: Error {}
            #expect(throws: Enough.self) { try store.rekey(to: EncryptedStores.other) { _ in throw Enough() } }
            try store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
            #expect(try EncryptedStores.open(path, EncryptedStores.raw).count(Patient.self) == 5_000)
            let last = Shared<StoreProgress?>(nil)
            try EncryptedStores.open(path, EncryptedStores.raw).rekey(to: EncryptedStores.other) { progress in last.change { $0 = progress }
            }
            #expect(last.value?.fraction == 1)
            #expect(try EncryptedStores.open(path, EncryptedStores.other).count(Patient.self) == 5_000)
        }
    }

    ///     other      | has the file open                               |
    ///     task       |                   | rekey waits |               | CancellationError
    ///     this one   |                                 | cancel
    @Test func aCancelledCallDoesNotWaitForOthers() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let store = try EncryptedStores.open(path, EncryptedStores.raw) { $0.busyTimeout = .seconds(300) }
        try EncryptedStores.fill(store, 0..<50)
        let other = try EncryptedStores.open(path, EncryptedStores.raw)
        #expect(try await other.count(Patient.self) == 50)
        let task = _Concurrency.Task { try await store.rekey(to: EncryptedStores.other) }
        for _ in 0..<1_000 { await _Concurrency.Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.count(Patient.self) == 50)
    }

    /// A read that has begun ends on its snapshot; the key is changed after it, and one that comes meanwhile waits.
    @Test func readersThatAreAtItAreWaitedFor() throws {
        try withTemporaryFolder { folder in
            let store = try EncryptedStores.open(folder + "/store.sqlite", EncryptedStores.raw)
            try EncryptedStores.fill(store, 0..<50)
            let (threads, reading, ending) = (Threads(), Gate(), Gate())
            threads.start {
                try store.read { tx in
                    let first = try tx.resource(Patient.self, id: "1")
                    reading.open()
                    ending.wait()
                    let last = try tx.resource(Patient.self, id: "49")
                    #expect(first != nil && last?.name[0].given[0] == EncryptedStores.marker + "-49")
                }
            }
            #expect(reading.wait())
            threads.start { try store.rekey(to: EncryptedStores.other) }
            for id in 0..<4 { threads.start { _ = try #require(try store.resource(Patient.self, id: "\(id)")) } }
            ending.open()
            try threads.finish()
            #expect(try store.count(Patient.self) == 50)
            try expectSound(store)
        }
    }

    @Test func longReadsAndOtherStoresAreInTheWay() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            let store = try EncryptedStores.open(path, EncryptedStores.raw) { $0.busyTimeout = .milliseconds(50) }
            let (threads, reading, ending) = (Threads(), Gate(), Gate())
            threads.start {
                try store.read { tx in
                    _ = try tx.count(Patient.self)
                    reading.open()
                    ending.wait()
                }
            }
            #expect(reading.wait())
            let read = #expect(throws: FHIRStoreError.self) { try store.rekey(to: EncryptedStores.other) }
            #expect(read?.code == .busy && read?.message.contains("is being read") == true)
            ending.open()
            try threads.finish()
            do {
                let second = try EncryptedStores.open(path, EncryptedStores.raw)
                #expect(try second.count(Patient.self) == 50)
                let open = #expect(throws: FHIRStoreError.self) { try store.rekey(to: EncryptedStores.other) }
                #expect(open?.code == .busy && open?.message.contains("open elsewhere") == true)
                // Both go on as before, in the same journal mode.
                try EncryptedStores.fill(second, 0..<50)
                #expect(try snapshot(store) == content)
            }
            try store.rekey(to: EncryptedStores.other)
            #expect(try snapshot(store) == content)
        }
    }

    @Test func aKeyThatIsNoneChangesNothing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            let store = try EncryptedStores.open(path, EncryptedStores.raw)
            let error = #expect(throws: FHIRStoreError.self) { try store.rekey(to: Secret([])) }
            #expect(error?.code == .invalidArgument)
            let memory = try FHIRStore.inMemory(release: .r4)
            #expect(#expect(throws: FHIRStoreError.self) { try memory.rekey(to: EncryptedStores.raw) }?.code == .notEncrypted)
            try EncryptedStores.expect(path, EncryptedStores.raw, content)
        }
    }

    /// Whatever call to the disk fails: what was reported is so, all of the content is there, and the store goes on.
    @Test(arguments: [FIRELITE_WRITE, FIRELITE_SYNC, FIRELITE_READ, FIRELITE_DELETE, FIRELITE_OPEN, FIRELITE_LOCK, FIRELITE_TRUNCATE])
    func aFailingDiskLosesNoContent(_ call: firelite_call) throws {
        try withTemporaryFolder { folder in
            let original = folder + "/original.sqlite"
            let content = try EncryptedStores.make(original, EncryptedStores.raw)
            var (kept, changed) = (0, 0)
            for n in [1, 2, 3, 4, 5, 6, 7, 8, 13, 21, 34, 55, 89] {
                for isLasting in [false, true] {
                    let place: Comment = "call \(n), \(isLasting ? "lasting" : "once")"
                    let round = "\(folder)/\(n)-\(isLasting)"
                    try FileManager.default.createDirectory(atPath: round, withIntermediateDirectories: true)
                    let path = round + "/store.sqlite"
                    try FileManager.default.copyItem(atPath: original, toPath: path)
                    let disk = FaultDisk(folder: round)
                    var isChanged = true
                    do {
                        let store = try EncryptedStores.open(path, EncryptedStores.raw)
                        disk.fail(
                            call, at: n, code: call == FIRELITE_OPEN ? 14 : 10 | (call == FIRELITE_READ ? 1 : 3) << 8, lasting: isLasting)
                        do {
                            try store.rekey(to: EncryptedStores.other)
                        } catch let error as FHIRStoreError {
                            isChanged = store.configuration.key?.secret === EncryptedStores.other.secret
                            expectHelpful(error, path: path, codes: [.disk, .cannotOpen, .busy, .sqlite, .notAStore], place)
                        }
                        disk.mend()
                        #expect(try snapshot(store) == content, place)
                        try EncryptedStores.fill(store, 0..<50)
                    }
                    if isChanged { changed += 1 } else { kept += 1 }
                    try EncryptedStores.expect(path, isChanged ? EncryptedStores.other : EncryptedStores.raw, content)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: round).allSatisfy { !$0.contains("partial") }, place)
                }
            }
            print("rekey with a failing disk, call \(call.rawValue): \(kept) with the old key, \(changed) with the new one")
            #expect(call != FIRELITE_WRITE && call != FIRELITE_READ || kept > 0)
        }
    }

    /// What another process writes to the replaced file would be lost: it finds no store there.
    @Test func theReplacedFileIsNoStoreAnyMore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            // Has the file open and has not read it yet, so that it has no lock.
            let late = try Connection.open(path, createsFile: false, key: EncryptedStores.raw)
            try EncryptedStores.open(path, EncryptedStores.raw).rekey(to: EncryptedStores.other)
            #expect(try late.integer("PRAGMA application_id") == 0)
            try EncryptedStores.expect(path, EncryptedStores.other, content)
        }
    }

    /// A failure leaves the file without a log; the next attempt takes its lock all the same.
    @Test func aSecondAttemptSucceeds() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            let (store, disk) = (
                try EncryptedStores.open(path, EncryptedStores.raw) { $0.busyTimeout = .milliseconds(50) }, FaultDisk(folder: folder)
            )
            disk.fail(FIRELITE_OPEN, at: 2, code: 14, lasting: true)
            #expect(throws: FHIRStoreError.self) { try store.rekey(to: EncryptedStores.other) }
            disk.mend()
            do {
                let reader = try Connection.open(path, createsFile: false, key: EncryptedStores.raw)
                try reader.execute("BEGIN; SELECT count(*) FROM sqlite_master")
                #expect(#expect(throws: FHIRStoreError.self) { try store.rekey(to: EncryptedStores.other) }?.code == .busy)
            }
            try store.rekey(to: EncryptedStores.other)
            #expect(try snapshot(store) == content)
        }
    }

    /// The mode of the file and a link to it stay.
    @Test func linksAndModesOfFilesStay() throws {
        try withTemporaryFolder { folder in
            let (path, link) = (folder + "/store.sqlite", folder + "/link.sqlite")
            let content = try EncryptedStores.make(path, EncryptedStores.raw)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            try EncryptedStores.open(link, EncryptedStores.raw).rekey(to: EncryptedStores.other)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
            try EncryptedStores.expect(path, EncryptedStores.other, content)
        }
    }
}

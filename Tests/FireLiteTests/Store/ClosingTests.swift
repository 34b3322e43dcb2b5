import FireLite
import FireLiteR4
import Foundation
import Testing

/// The code of the error that `body` throws; nil for other errors and none.
private func code(_ body: () throws -> Void) -> FHIRStoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? FHIRStoreError)?.code
    }
}

@Suite struct ClosingTests {
    private func patient(_ id: String) -> Patient { Patient { $0.id = id } }

    @Test func aClosedStoreRefusesEveryCall() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.write { try $0.add(patient("1")) }
            try store.close()
            try store.close()
            let calls: [(FHIRStore) throws -> Void] = [
                { _ = try $0.count(Patient.self) }, { try $0.write { _ in } }, { _ = try $0.check() }, { try $0.vacuum() },
            ]
            for call in calls {
                let error = #expect(throws: FHIRStoreError.self) { try call(store) }
                #expect(error?.code == .closed)
            }
            #expect(!FileManager.default.fileExists(atPath: folder + "/store.sqlite-wal"))
            #expect(try FHIRStore(path: folder + "/store.sqlite", release: .r4).count(Patient.self) == 1)
        }
    }

    @Test func aStoreInMemoryCanBeClosed() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { try $0.add(patient("1")) }
        try store.close()
        #expect(code { _ = try store.counts() } == .closed)
    }

    @Test func aStoreThatIsReadIsNotClosed() throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(20)
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            try store.write { try $0.add(patient("1")) }
            try store.read { (transaction) throws in
                #expect(try transaction.count(Patient.self) == 1)
                let (done, codes) = (DispatchSemaphore(value: 0), Codes())
                Thread {
                    do { try store.close() } catch { codes.list.append((error as? FHIRStoreError)?.code) }
                    done.signal()
                }.start()
                done.wait()
                #expect(codes.list == [.busy])
            }
            #expect(try store.count(Patient.self) == 1)
            try store.close()
        }
    }
}

/// What a thread found. The semaphore that is waited for orders the two.
private final class Codes: @unchecked Sendable {
    var list: [FHIRStoreError.Code?] = []
}

@Suite struct LazyWriterTests {
    @Test func theFirstWriteFindsTheStoreThatWasOpened() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try FHIRStore(path: path, release: .r4).write { try $0.add(Patient { $0.id = "1" }) }
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.count(Patient.self) == 1)
            try FileManager.default.removeItem(atPath: path)
            // No file is made in its place.
            #expect(code { try store.write { _ in } } == .cannotOpen)
            #expect(!FileManager.default.fileExists(atPath: path))
            try FHIRStore(path: path, release: .r4).close()
            #expect(code { try store.write { _ in } } == .notAStore)
        }
    }

    @Test func aStoreThatIsThereIsWrittenAfterItWasRead() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try FHIRStore(path: path, release: .r4).write { try $0.add(Patient { $0.id = "1" }) }
            let store = try FHIRStore(path: path, release: .r4)
            let one = try #require(try store.resource(Patient.self, id: "1"))
            try store.write { _ in one.active = true }
            #expect(try store.resource(Patient.self, id: "1")?.active == true)
            try expectSound(store)
        }
    }
}

@Suite struct DefaultLocationTests {
    @Test func namesThatAreNoFilesAreRefused() throws {
        for name in ["", ".hidden", "a/b", "..", "a\u{0}b"] {
            #expect(code { _ = try FHIRStore.defaultPath(name: name) } == .invalidArgument)
        }
        #expect(try FHIRStore.defaultPath(name: "records").hasSuffix("/FireLite/records.sqlite"))
        #expect(try FHIRStore.defaultPath().hasSuffix("/FireLite/health.sqlite"))
    }

    @Test func aStoreIsMadeInAFolderOfItsOwn() throws {
        let name = "test-\(UUID().uuidString)"
        let path = try FHIRStore.defaultPath(name: name)
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let store = try FHIRStore(release: .r4, name: name, isInBackups: false)
        #expect(store.path == path)
        try store.write { try $0.add(Patient { $0.id = "1" }) }
        #expect(try FHIRStore(release: .r4, name: name).count(Patient.self) == 1)
        try store.close()
    }
}

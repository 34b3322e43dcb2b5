import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// Writes end when an app is about to be suspended. Gates make the order of events certain.
@Suite struct SuspensionTests {
    private static func patients(_ ids: Swift.Range<Int>) -> [Patient] { ids.map { id in Patient { $0.id = "\(id)" } } }

    ///     writer   | begin, add 1 -- statements ... interrupted, rolled back |
    ///     app                        | suspendWrites ---------------------- | another process writes
    @Test func aRunningWriteIsRolledBackAndItsLockReleased() throws {
        try withStore { store in
            try store.write { tx in _ = try tx.upsert(Self.patients(0..<10)) }
            let began = Gate()
            let threads = Threads()
            threads.start {
                let error = #expect(throws: FHIRStoreError.self) {
                    try store.write { (tx) -> Void in
                        try tx.add(Patient { $0.id = "lost" })
                        began.open()
                        while true { _ = try tx.query(Patient.self).count() }
                    }
                }
                #expect(error?.code == .interrupted && error?.message.contains("permitted again") == true)
            }
            #expect(began.wait())
            store.suspendWrites()
            #expect(store.areWritesSuspended)
            // Nothing locks the file any more, although the thread may not have returned yet.
            var impatient = FHIRStore.Configuration()
            impatient.busyTimeout = .zero
            let other = try FHIRStore(path: store.path, release: .r4, configuration: impatient)
            try other.write { tx in try tx.add(Patient { $0.id = "other" }) }
            try threads.finish()
            #expect(try store.query(Patient.self).where { $0.id == "lost" }.count() == 0)
            #expect(try store.count(Patient.self) == 11)
            store.resumeWrites()
            try store.write { tx in try tx.add(Patient { $0.id = "kept" }) }
            #expect(try store.count(Patient.self) == 12)
        }
    }

    @Test func suspendedStoresReadAndRefuseWrites() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in _ = try tx.upsert(Self.patients(0..<3)) }
        store.suspendWrites()
        store.suspendWrites()
        #expect(try await store.query(Patient.self).count() == 3)
        let error = await #expect(throws: FHIRStoreError.self) { try await store.write { tx in _ = try tx.add(Patient()) } }
        #expect(error?.code == .interrupted)
        await #expect(throws: FHIRStoreError.self) { _ = try await store.deleteAll(Patient.self) }
        store.resumeWrites()
        #expect(try await store.query(Patient.self).delete() == 3)
    }

    ///     writers  | write 1 | write 2 | ...            for as long as they can
    ///     app          | suspend | resume | suspend ...  many times
    @Test func noWriteIsLostOrHalfDoneByInterruptions() throws {
        try withStore { store in
            let threads = Threads()
            let stop = Gate()
            let committed = Tally()
            for thread in 0..<2 {
                threads.start {
                    var number = 0
                    while !stop.isPassable {
                        number += 1
                        do {
                            try store.write { tx in
                                for part in 0..<4 { try tx.add(Patient { $0.id = "\(thread)-\(number)-\(part)" }) }
                            }
                            committed.add(4)
                        } catch let error as FHIRStoreError where error.code == .interrupted {}
                    }
                }
            }
            for _ in 0..<200 {
                store.suspendWrites()
                store.resumeWrites()
            }
            stop.open()
            try threads.finish()
            #expect(try store.count(Patient.self) == committed.sum)
        }
    }

    @Test func releasedMemoryIsFilledAgain() throws {
        try withStore { store in
            try store.write { tx in _ = try tx.upsert(Self.patients(0..<500)) }
            for _ in 0..<3 {
                #expect(try store.query(Patient.self).all().count == 500)
                store.releaseMemory()
            }
            try store.write { tx in try tx.add(Patient { $0.id = "more" }) }
            #expect(try store.count(Patient.self) == 501)
        }
        let memory = try FHIRStore.inMemory(release: .r4)
        try memory.write { tx in try tx.add(Patient { $0.id = "1" }) }
        memory.releaseMemory()
        #expect(try memory.count(Patient.self) == 1)
    }

    /// The system reports memory pressure on Apple platforms only; here a listener of the test does.
    @Test func memoryIsReleasedAtEachNoticeUntilTheStoreIsClosed() throws {
        final class Listener {
            let notice: @Sendable () -> Void
            init(_ notice: @escaping @Sendable () -> Void) { self.notice = notice }
        }
        weak var listener: Listener?
        var count = 0
        func listen(_ notice: @escaping @Sendable () -> Void) -> AnyObject {
            count += 1
            let made = Listener(notice)
            listener = made
            return made
        }
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.write { tx in _ = try tx.upsert(Self.patients(0..<100)) }
            #expect(try store.query(Patient.self).all().count == 100)
            store.memoryRelief.begin(store, listen)
            store.memoryRelief.begin(store, listen)
            #expect(count == 1)
            let notice = try #require(listener?.notice)
            #expect(store.pool.idleReaderCount > 0)
            notice()
            #expect(store.pool.idleReaderCount == 0)
            #expect(try store.query(Patient.self).all().count == 100)
            #expect(store.pool.idleReaderCount > 0)
            try store.close()
            #expect(listener == nil)
            notice()
        }
        do {
            let store = try FHIRStore.inMemory(release: .r4)
            store.memoryRelief.begin(store, listen)
            #expect(listener != nil)
            // Keeps the store until here.
            #expect(store.path == ":memory:")
        }
        #expect(listener == nil && count == 2)
    }
}

/// A sum of several threads.
///
/// `@unchecked Sendable` by `lock`.
private final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var total = 0

    var sum: Int { lock.withLock { total } }
    func add(_ number: Int) { lock.withLock { total += number } }
}

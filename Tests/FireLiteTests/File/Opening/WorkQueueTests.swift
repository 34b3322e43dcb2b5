import FireLiteR4
import Foundation
import Testing

@testable import FireLite

@Suite(.soundStores) struct WorkQueueTests {
    private final class Log: @unchecked Sendable {
        // `lock` guards all.
        private let lock = NSLock()
        private var running = 0
        private(set) var most = 0
        private(set) var order: [Int] = []

        func begin(_ number: Int) {
            lock.lock()
            defer { lock.unlock() }
            running += 1
            most = max(most, running)
            order.append(number)
        }

        func end() {
            lock.lock()
            defer { lock.unlock() }
            running -= 1
        }
    }

    @Test(arguments: [1, 3]) func blocksRunInOrderAndNoMoreAtOnceThanThreads(width: Int) {
        let queue = WorkQueue(width: width)
        let log = Log()
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        for number in 0..<60 {
            done.enter()
            _ = queue.add {
                log.begin(number)
                gate.wait()
                log.end()
                return { done.leave() }
            }
        }
        for _ in 0..<60 { gate.signal() }
        done.wait()
        #expect(log.most <= width)
        #expect(log.order.sorted() == Array(0..<60))
        if width == 1 { #expect(log.order == Array(0..<60)) }
    }

    @Test func aWithdrawnBlockDoesNotRun() {
        let queue = WorkQueue(width: 1)
        let log = Log()
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        let tickets = (0..<4).map { number in
            done.enter()
            return queue.add {
                log.begin(number)
                if number == 0 { gate.wait() }
                return { done.leave() }
            }
        }
        #expect(queue.withdraw(tickets[2]))
        #expect(!queue.withdraw(tickets[2]))
        done.leave()
        gate.signal()
        done.wait()
        #expect(log.order == [0, 1, 3])
        #expect(!queue.withdraw(tickets[1]))
    }

    /// A cancelled write that waits for another one ends before that does.
    @Test func aCancelledCallDoesNotWaitForItsTurn() async throws {
        let store = try freshStore()
        let gate = DispatchSemaphore(value: 0)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let first = _Concurrency.Task {
            try await store.write { _ in
                begin.yield()
                gate.wait()
            }
        }
        for await _ in begun { break }
        let second = _Concurrency.Task { try await store.write { tx in try tx.add(Patient { $0.id = "1" }) } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.signal()
        try await first.value
        #expect(try await store.count(Patient.self) == 0)
    }

    #if os(Linux)
        @Test func aBurstOfCallsMakesFewThreads() async throws {
            await #expect(processExitsWith: .success) {
                @Sendable func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let store = try FHIRStore(path: folder.appendingPathComponent("store.sqlite").path, release: .r4)
                let before = try threads()
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<500 {
                        group.addTask {
                            try await store.write { tx in
                                try tx.add(Patient { $0.id = "\(number)" })
                                return try threads()
                            }
                        }
                        group.addTask {
                            try await store.read { tx in
                                _ = try tx.count(Patient.self)
                                return try threads()
                            }
                        }
                    }
                    // One that writes, eight that read, and the few that run tasks.
                    for try await count in group { #expect(count <= before + 9 + 8) }
                }
                #expect(try await store.count(Patient.self) == 500)
            }
        }
    #endif
}

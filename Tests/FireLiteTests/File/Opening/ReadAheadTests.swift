import Foundation
import Testing

@testable import FireLite

/// What a thread reads ahead for a task.
@Suite(.timeLimit(.minutes(30))) struct ReadAheadTests {
    private struct Failure: Error {}

    private func ahead(_ capacity: Int) -> ReadAhead<Int> {
        ReadAhead(capacity: capacity, cancellation: Cancellation(interruptsWrites: true))
    }

    @Test(arguments: [1, 7, 1_000]) func everyElementComesOnceAndInOrder(capacity: Int) async throws {
        let (ahead, threads) = (ahead(capacity), Threads())
        threads.start {
            for number in 0..<5_000 { try ahead.put(number, size: 1) }
            ahead.finish(.success(()))
        }
        var all: [Int] = []
        while let some = try await ahead.next() {
            #expect(!some.isEmpty && some.count <= capacity)
            all += some
        }
        #expect(all == Array(0..<5_000))
        #expect(try await ahead.next() == nil)
        try threads.finish()
    }

    /// thread:  puts ten ── waits ──────────┐ goes on
    /// test:                  looks, takes ─┘
    @Test func theThreadWaitsForASlowTask() async throws {
        let (ahead, threads, count) = (ahead(10), Threads(), Shared(0))
        threads.start {
            for number in 0..<100 {
                try ahead.put(number, size: 1)
                count.change { $0 += 1 }
            }
            ahead.finish(.success(()))
        }
        while count.value < 10 { await _Concurrency.Task.yield() }
        for _ in 0..<10_000 { await _Concurrency.Task.yield() }
        #expect(count.value == 10)
        var taken = 0
        while let some = try await ahead.next() { taken += some.count }
        #expect(taken == 100)
        try threads.finish()
    }

    @Test func aFailureComesAfterTheElementsAndOnce() async throws {
        let ahead = ahead(10)
        try ahead.put(1, size: 1)
        try ahead.put(2, size: 1)
        ahead.finish(.failure(Failure()))
        #expect(try await ahead.next() == [1, 2])
        await #expect(throws: Failure.self) { try await ahead.next() }
        #expect(try await ahead.next() == nil)
    }

    @Test func aThreadThatNobodyWaitsForEnds() async throws {
        let cancellation = Cancellation(interruptsWrites: true)
        let (ahead, threads) = (ReadAhead<Int>(capacity: 1, cancellation: cancellation), Threads())
        threads.start { #expect(throws: CancellationError.self) { while true { try ahead.put(0, size: 1) } } }
        #expect(try await ahead.next() == [0])
        ahead.stop()
        try threads.finish()
        #expect(cancellation.isRequested)
        await #expect(throws: CancellationError.self) { try await ahead.next() }
    }

    @Test func aCancelledTaskDoesNotWait() async throws {
        let ahead = ahead(1)
        let task = _Concurrency.Task { try await ahead.next() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(throws: CancellationError.self) { try ahead.put(0, size: 1) }
    }
}

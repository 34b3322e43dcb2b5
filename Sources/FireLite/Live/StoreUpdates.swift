import FireLiteCore

/// The results of a read, now and after each commit that could change them: see `FHIRStore.updates(every:_:)`.
///
/// Each loop reads on its own. Ends when its task is cancelled, with `CancellationError`, and with the error `closed` when the store is closed.
public struct StoreUpdates<Value>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Value
    private let store: FHIRStore
    private let interval: Duration
    private let body: @Sendable (ReadTransaction) throws -> Value

    init(_ store: FHIRStore, every interval: Duration, _ body: @escaping @Sendable (ReadTransaction) throws -> Value) {
        self.store = store
        self.interval = interval
        self.body = body
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let updates: StoreUpdates
        private let signal: ChangeSignal
        private var clock: ObservationClock
        private var last: Value?

        fileprivate init(_ updates: StoreUpdates) {
            self.updates = updates
            signal = ChangeSignal(updates.store.announcer)
            clock = ObservationClock(every: updates.interval)
        }

        /// The next result, as soon as it differs from the last one.
        ///
        /// - Throws: errors of the read; `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Value? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Value? {
            while true {
                try await clock.wait(signal)
                let start = signal.lower()
                let read = try await updates.read()
                signal.watch(read.region, since: start)
                let value = read.value.value
                if let last, isSame(last, value) { continue }
                last = value
                return value
            }
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    fileprivate func read() async throws -> (value: HandedOver<Value>, region: ObservedRegion) {
        let body = body
        return try await store.observe { transaction, check in
            try check()
            return HandedOver(try body(transaction))
        }
    }
}

extension FHIRStore {
    /// The result of a read, now and again after each commit that changes it.
    ///
    /// ```swift
    /// for try await count in store.updates({ try $0.query(Patient.self).where { $0.active == true }.count() }) { show(count) }
    /// ```
    /// The store notes which tables and resources the block reads. It runs again when a commit has changed one of them, whether by
    /// this store or by another connection or process, and the loop continues if the result is a different one; results that are not `Equatable` are passed on
    /// each time. A slow loop gets the newest
    /// result, not each of them. The block runs on a thread of the library, on a snapshot, and never waits for a write; in an in-memory
    /// store it waits for the current one.
    /// - Parameters:
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - body: reads the result from a snapshot.
    public func updates<Value>(
        every interval: Duration = UpdateInterval.standard, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> StoreUpdates<Value> { StoreUpdates(self, every: interval, body) }
}

/// Whether two values are known to be equal: false for types that cannot be compared.
private func isSame<Value>(_ first: Value, _ second: Value) -> Bool {
    func isEqual<Other: Equatable>(_ first: Other) -> Bool { (second as? Other).map { $0 == first } ?? false }
    return (first as? any Equatable).map { isEqual($0) } ?? false
}

import FireLiteCore

/// A query's results, now and after each commit that changes them: see `FHIRQuery.updates(every:)`.
public struct QueryUpdates<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = [Resource]
    private let query: FHIRQuery<Resource>
    private let interval: Duration

    init(_ query: FHIRQuery<Resource>, every interval: Duration) {
        self.query = query
        self.interval = interval
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var observer: QueryObserver<Resource>

        fileprivate init(_ observer: QueryObserver<Resource>) { self.observer = observer }

        /// The next results, as soon as they differ from the last ones.
        ///
        /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> [Resource]? { try await observer.next().results }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [Resource]? {
            try await observer.next(isolation: actor).results
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(QueryObserver(query, every: interval, wantsPaths: false))
    }
}

/// A query's results with what changed in them: see `FHIRQuery.updates(changes:every:)`.
public struct QueryChanges<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = QueryUpdate<Resource>
    private let query: FHIRQuery<Resource>
    private let interval: Duration
    private let wantsChanges: Bool

    init(_ query: FHIRQuery<Resource>, wantsChanges: Bool, every interval: Duration) {
        self.query = query
        self.wantsChanges = wantsChanges
        self.interval = interval
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var observer: QueryObserver<Resource>

        fileprivate init(_ observer: QueryObserver<Resource>) { self.observer = observer }

        /// The next results, as soon as they differ from the last ones.
        ///
        /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> QueryUpdate<Resource>? { try await observer.next() }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> QueryUpdate<Resource>? {
            try await observer.next(isolation: actor)
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(QueryObserver(query, every: interval, wantsPaths: wantsChanges))
    }
}

extension FHIRQuery {
    /// The results now, and again after each commit that changes them.
    ///
    /// ```swift
    /// for try await patients in store.query(Patient.self).sort({ $0.birthDate.ascending }).updates() { show(patients) }
    /// ```
    /// The query runs again when a commit has changed a row of a table that its statement reads, or one of its results, and the loop continues if
    /// the results differ. Results that have not changed are not read again and keep their objects. A slow loop gets the newest results,
    /// not each of them. Reading happens on a thread of the library, on a snapshot, and never waits for a write; in an in-memory
    /// store it waits for the current one. Ends when the task is cancelled, with `CancellationError`, and with the error `closed` when the store
    /// is closed.
    /// - Parameter interval: the shortest time between two reads, for imports that commit often. Default: 50 milliseconds.
    public func updates(every interval: Duration = UpdateInterval.standard) -> QueryUpdates<Resource> {
        QueryUpdates(self, every: interval)
    }

    /// The results now, and again after each commit that changes them, with what changed.
    ///
    /// ```swift
    /// for try await update in store.query(Patient.self).updates(changes: true) {
    ///     for changed in update.changes?.updates ?? [] { print(changed.index, changed.paths ?? []) }
    /// }
    /// ```
    /// - Parameters:
    ///   - changes: whether each element has the insertions, deletions, moves and changed elements since the one before. Writes then note the
    ///     paths of changed elements.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    public func updates(changes: Bool, every interval: Duration = UpdateInterval.standard) -> QueryChanges<Resource> {
        QueryChanges(self, wantsChanges: changes, every: interval)
    }
}

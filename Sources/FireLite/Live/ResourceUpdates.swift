import FireLiteCore

/// One resource, now and after each commit that changes it: see `FHIRStore.updates(of:id:every:)`.
public struct ResourceUpdates<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// Nil while the store has no resource with the id.
    public typealias Element = Resource?
    private let store: FHIRStore
    private let id: String
    private let interval: Duration

    init(_ store: FHIRStore, id: String, every interval: Duration) {
        self.store = store
        self.id = id
        self.interval = interval
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let updates: ResourceUpdates
        let signal: ChangeSignal
        private var clock: ObservationClock
        /// The last revision; nil for a missing resource.
        private var last: ResultKey??

        fileprivate init(_ updates: ResourceUpdates) {
            self.updates = updates
            signal = ChangeSignal(updates.store.announcer)
            clock = ObservationClock(every: updates.interval)
        }

        /// The next state of the resource: an object of its own each time, or nil if there is none.
        ///
        /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Resource?? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Resource?? {
            while true {
                try await clock.wait(signal)
                let start = signal.lower()
                let read = try await updates.read()
                signal.watch(read.region, since: start)
                let resource = read.value.value
                let key = (resource?.objectExtras as? StoreTie).map { ResultKey(root: $0.root, revision: $0.revision) }
                if let last, last == key { continue }
                last = .some(key)
                return .some(resource)
            }
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    fileprivate func read() async throws -> (value: HandedOver<Resource?>, region: ObservedRegion) {
        let id = id
        return try await store.observe { transaction, check in
            try check()
            return HandedOver(try transaction.resource(Resource.self, id: id))
        }
    }
}

extension FHIRStore {
    /// The resource with this type and id, now and again after each commit that changes it; nil while there is none.
    ///
    /// ```swift
    /// for try await patient in store.updates(of: Patient.self, id: "123") { show(patient) }
    /// ```
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: the resource's id.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    public func updates<Resource: FHIRResource>(
        of type: Resource.Type, id: String, every interval: Duration = UpdateInterval.standard
    ) -> ResourceUpdates<Resource> { ResourceUpdates(self, id: id, every: interval) }
}

import FireLiteCore

// Values of all resources of a type, made on several cores.

extension FHIRStore {
    /// Calls `body` with what `transform` makes of each resource of a type, in the order they were stored, on one snapshot.
    ///
    /// Resources are read and transformed on up to `Configuration.maximumCores` threads, up to 256 at a time, and memory holds the values of a few such
    /// parts for each thread. One thread does it in a `read` or `write` of the store, for a store in memory and for a file of less than 16 MB.
    ///
    /// ```swift
    /// var counts: [Int: Int] = [:]
    /// try store.forEach(Patient.self, transform: { $0.birthDate?.dateComponents.year }) { year in counts[year, default: 0] += 1 }
    /// ```
    ///
    /// Both blocks are inside a read of the store: read it there, and write after the call. Threads work ahead, so `transform` may have been called for
    /// resources after the one at which an error ends the call. Task-local values are those of the thread.
    ///
    /// - Parameters:
    ///   - type: a type that has instances.
    ///   - transform: makes a value of a resource, or nil to leave it out. Called on several threads at once. The resource is for this call alone;
    ///     inside a `write`, it is the managed one.
    ///   - body: receives the values, on the calling thread.
    /// - Precondition: neither block writes to this store or closes it.
    /// - Throws: errors of `transform`, after `body` has got the values of all resources before; errors of `body`; `FHIRStoreError`.
    public func forEach<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, transform: @escaping @Sendable (Resource) throws -> Value?, _ body: (Value) throws -> Void
    ) throws {
        try forEach(typeName: layout(of: type).name, transform: { try ($0 as? Resource).flatMap(transform) }, body)
    }

    /// Calls `body` with what `transform` makes of each resource of the type with this name; see ``forEach(_:transform:_:)-4bjjc``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform` and of `body`.
    public func forEach<Value: Sendable>(
        typeName: String, transform: @escaping @Sendable (FHIRResource) throws -> Value?, _ body: (Value) throws -> Void
    ) throws {
        try forEach(typeNames: { _ in [typeName] }, transform: transform, body)
    }

    /// The same for several types, one after the other.
    ///
    /// - Parameter typeNames: the types, found in the snapshot that is read.
    package func forEach<Value: Sendable>(
        typeNames: (ReadTransaction) throws -> [String], transform: @escaping @Sendable (FHIRResource) throws -> Value?,
        _ body: (Value) throws -> Void
    ) throws {
        try readTogether { transaction, readers in
            let names = try typeNames(transaction)
            guard let readers else {
                for name in names { try transaction.forEach(typeName: name) { if let value = try transform($0) { try body(value) } } }
                return
            }
            var size = PartSize()
            func deliver(_ part: TimedPart<Value>) throws {
                size.adapt(to: part.duration)
                try part.result.passOn { values in
                    for value in values {
                        try Cancellation.check()
                        try body(value)
                    }
                }
            }
            // The next type is begun while the last resources of one are worked on.
            let parts = SnapshotReaders.Values<TimedPart<Value>>(of: readers, transaction)
            try parts.passOnAll(deliver) {
                for name in names {
                    try transaction.forEachBatch(ofTypeNamed: name) { batch in
                        var rest = batch[...]
                        while !rest.isEmpty {
                            let part = Array(rest.prefix(size.count))
                            rest = rest.dropFirst(part.count)
                            try parts.add({ $0.values(of: part, transform) }, deliver)
                        }
                    }
                }
            }
        }
    }

    /// What a thread made of some resources, and how long it took.
    fileprivate typealias TimedPart<Value: Sendable> = (result: PartialResult<[Value]>, duration: Duration)

    /// How many resources a thread transforms before their values are passed on: so many as take some milliseconds, so that an error, a cancellation
    /// and the first value do not wait for long where `transform` is slow.
    private struct PartSize {
        private static let most = 256

        private(set) var count = 16

        mutating func adapt(to duration: Duration) {
            if duration < .milliseconds(4) { count = min(count * 2, Self.most) }
            if duration > .milliseconds(16) { count = max(count / 4, 1) }
        }
    }

    /// Calls `body` with what `transform` makes of each resource of a type, on a thread of the store; see ``forEach(_:transform:_:)-4bjjc``.
    ///
    /// - Throws: errors of `transform` and of `body`; `FHIRStoreError`; `CancellationError`.
    public func forEach<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, transform: @escaping @Sendable (Resource) throws -> Value?,
        _ body: sending @escaping (Value) throws -> Void
    ) async throws {
        try await transferring { try self.forEach(type, transform: transform, body) }
    }

    /// Calls `body` with what `transform` makes of each resource of the type with this name, on a thread of the store; see
    /// ``forEach(_:transform:_:)-4bjjc``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform` and of `body`;
    ///   `CancellationError`.
    public func forEach<Value: Sendable>(
        typeName: String, transform: @escaping @Sendable (FHIRResource) throws -> Value?, _ body: sending @escaping (Value) throws -> Void
    ) async throws {
        try await transferring { try self.forEach(typeName: typeName, transform: transform, body) }
    }

    /// What `transform` makes of the resources of a type, in the order they were stored, without those of which it makes nil. They are read on several
    /// cores, as in ``forEach(_:transform:_:)-4bjjc``, whose preconditions hold.
    ///
    /// ```swift
    /// let families = try store.compactMap(Patient.self) { $0.name.first?.family }
    /// ```
    ///
    /// - Throws: errors of `transform`; `FHIRStoreError`.
    public func compactMap<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, _ transform: @escaping @Sendable (Resource) throws -> Value?
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(type, transform: transform) { values.append($0) }
        return values
    }

    /// What `transform` makes of the resources of the type with this name; see ``compactMap(_:_:)-2d230``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform`.
    public func compactMap<Value: Sendable>(
        typeName: String, _ transform: @escaping @Sendable (FHIRResource) throws -> Value?
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(typeName: typeName, transform: transform) { values.append($0) }
        return values
    }

    /// What `transform` makes of the resources of a type, made without blocking the caller; see ``compactMap(_:_:)-2d230``.
    ///
    /// - Throws: errors of `transform`; `FHIRStoreError`; `CancellationError`.
    public func compactMap<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, _ transform: @escaping @Sendable (Resource) throws -> Value?
    ) async throws -> [Value] {
        try await transferring { try self.compactMap(type, transform) }
    }

    /// What `transform` makes of the resources of the type with this name, made without blocking the caller; see ``compactMap(_:_:)-2d230``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform`;
    ///   `CancellationError`.
    public func compactMap<Value: Sendable>(
        typeName: String, _ transform: @escaping @Sendable (FHIRResource) throws -> Value?
    ) async throws -> [Value] {
        try await transferring { try self.compactMap(typeName: typeName, transform) }
    }
}

extension ReadTransaction {
    /// What `transform` makes of some resources.
    fileprivate func values<Value: Sendable>(
        of registrations: [Registration], _ transform: (FHIRResource) throws -> Value?
    ) -> FHIRStore.TimedPart<Value> {
        let start = ContinuousClock.now
        let result = PartialResult<[Value]> { values in
            values.reserveCapacity(registrations.count)
            try store.mapping {
                try loader.forEach(registrations) { resource in
                    try Cancellation.check()
                    if let value = try transform(resource) { values.append(value) }
                }
            }
        }
        return (result, .now - start)
    }
}

import FireLiteCore

// Values of all resources of a type, made on several cores.

extension FHIRStore {
    /// Calls `body` with what `transform` makes of each resource of a type, in the order they were stored, on one snapshot.
    ///
    /// Resources are read and transformed on up to `Configuration.maximumCores` threads, 256 at a time, and memory holds the values of a few such
    /// batches for each thread. One thread does it in a `read` or `write` of the store, for a store in memory and for a file of less than 16 MB.
    ///
    /// ```swift
    /// var counts: [Int: Int] = [:]
    /// try store.forEach(Patient.self, transform: { $0.birthDate?.dateComponents.year }) { year in counts[year, default: 0] += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - transform: makes a value of a resource, which is for this call alone, or nil to leave it out. Called on several threads at once. A read of
    ///     the store inside it sees the same snapshot.
    ///   - body: receives the values, on the calling thread.
    /// - Throws: errors of `transform`; errors of `body`; `FHIRStoreError`. Before an error of `transform`, `body` has got values of earlier resources
    ///   alone, but perhaps not of all of them.
    public func forEach<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, transform: @escaping @Sendable (Resource) throws -> Value?, _ body: (Value) throws -> Void
    ) throws {
        try forEach(typeName: layout(of: type).name, transform: { try ($0 as? Resource).flatMap(transform) }, body)
    }

    /// Calls `body` with what `transform` makes of each resource of the type with this name; see ``forEach(_:transform:_:)``.
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
            func deliver(_ values: [Value]) throws {
                for value in values {
                    try Cancellation.check()
                    try body(value)
                }
            }
            // The next type is begun while the last resources of one are worked on.
            var values = SnapshotReaders.Values<[Value]>(of: readers, transaction)
            for name in names {
                try transaction.forEachBatch(ofTypeNamed: name) { try values.add(Self.transforming($0, transform), deliver) }
            }
            try values.finish(deliver)
        }
    }

    /// A job that makes the values of some resources.
    private static func transforming<Value: Sendable>(
        _ registrations: [Registration], _ transform: @escaping @Sendable (FHIRResource) throws -> Value?
    ) -> @Sendable (ReadTransaction) throws -> [Value] {
        { transaction in
            try transaction.store.mapping {
                var values: [Value] = []
                values.reserveCapacity(registrations.count)
                try transaction.loader.forEach(registrations) { if let value = try transform($0) { values.append(value) } }
                return values
            }
        }
    }

    /// Calls `body` with what `transform` makes of each resource of a type, on a thread of the store; see ``forEach(_:transform:_:)``.
    ///
    /// - Throws: errors of `transform` and of `body`; `FHIRStoreError`; `CancellationError`.
    public func forEach<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, transform: @escaping @Sendable (Resource) throws -> Value?,
        _ body: sending @escaping (Value) throws -> Void
    ) async throws {
        try await transferring { try self.forEach(type, transform: transform, body) }
    }

    /// Calls `body` with what `transform` makes of each resource of the type with this name, on a thread of the store; see
    /// ``forEach(_:transform:_:)``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform` and of `body`;
    ///   `CancellationError`.
    public func forEach<Value: Sendable>(
        typeName: String, transform: @escaping @Sendable (FHIRResource) throws -> Value?, _ body: sending @escaping (Value) throws -> Void
    ) async throws {
        try await transferring { try self.forEach(typeName: typeName, transform: transform, body) }
    }

    /// What `transform` makes of the resources of a type, in the order they were stored, without those of which it makes nil. They are read on several
    /// cores, as in ``forEach(_:transform:_:)``.
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

    /// What `transform` makes of the resources of the type with this name; see ``compactMap(_:_:)``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform`.
    public func compactMap<Value: Sendable>(
        typeName: String, _ transform: @escaping @Sendable (FHIRResource) throws -> Value?
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(typeName: typeName, transform: transform) { values.append($0) }
        return values
    }

    /// What `transform` makes of the resources of a type, made without blocking the caller; see ``compactMap(_:_:)``.
    ///
    /// - Throws: errors of `transform`; `FHIRStoreError`; `CancellationError`.
    public func compactMap<Resource: FHIRResource, Value: Sendable>(
        _ type: Resource.Type, _ transform: @escaping @Sendable (Resource) throws -> Value?
    ) async throws -> [Value] {
        try await transferring { try self.compactMap(type, transform) }
    }

    /// What `transform` makes of the resources of the type with this name, made without blocking the caller; see ``compactMap(_:_:)``.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `transform`;
    ///   `CancellationError`.
    public func compactMap<Value: Sendable>(
        typeName: String, _ transform: @escaping @Sendable (FHIRResource) throws -> Value?
    ) async throws -> [Value] {
        try await transferring { try self.compactMap(typeName: typeName, transform) }
    }
}

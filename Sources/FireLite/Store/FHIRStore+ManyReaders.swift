import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

// Reading one snapshot with several threads.

/// Threads that read the same snapshot, each with a connection of its own.
typealias SnapshotReaders = OrderedWorkers<ReadTransaction>

extension FHIRStore {
    /// How often connections begin again as somebody has written meanwhile.
    private static let attempts = 8

    /// Runs `body` on a snapshot, with further threads that read the same one.
    ///
    /// There are none (nil) if `maximumCores` is 1, in a read or write of this thread, for a store in memory or a small file, if a module records
    /// reads, or if other connections write all the time.
    func readTogether<Value>(_ body: (ReadTransaction, SnapshotReaders?) throws -> Value) throws -> Value {
        guard maximumCores > 1, currentTransaction == nil, participants.readWitness == nil, isLarge else {
            return try read { try body($0, nil) }
        }
        try pool.beginReadingAlone()
        defer { pool.endReadingAlone() }
        guard let connections = beginTogether(maximumCores) else { return try read { try body($0, nil) } }
        let readers = SnapshotReaders(count: connections.count - 1)
        defer { readers.end() }
        for access in connections.dropFirst() { start(readers, access) }
        return try read(on: connections[0], nil, hasBegun: true) { try body($0, readers) }
    }

    private var maximumCores: Int { min(configuration.maximumCores, configuration.maximumReaders) }

    private var isLarge: Bool {
        guard path != ":memory:", let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else { return false }
        return size >= configuration.bytesForMoreCores
    }

    /// Connections that have begun to read the same snapshot; nil if they are not to be had, as where the process may open few files. Whether the file
    /// can be read is for the one connection to say that reads then.
    private func beginTogether(_ count: Int) -> [StoreConnection]? {
        var connections: [StoreConnection] = []
        do {
            guard let probe = try pool.openReader(), probe.stillFile == nil else { return nil }
            while connections.count < count, let connection = try pool.openReader() { connections.append(connection) }
            guard connections.count == count else { return nil }
            for _ in 0..<Self.attempts {
                // Nobody has committed between the first and the last to begin, so that all see the same.
                let before = try probe.dataVersion()
                for connection in connections { try connection.begin() }
                if try probe.dataVersion() == before { return connections }
            }
        } catch {}
        for connection in connections { connection.rollback() }
        return nil
    }

    private func start(_ readers: SnapshotReaders, _ access: StoreConnection) {
        // Only the new thread uses the connection from here on.
        let handedOver = HandedOver(access)
        // What ends the caller's work ends that of the other threads.
        let cancellation = Cancellation.current
        readers.begin()
        _ = transfers.add { [self] in
            let access = handedOver.value
            let transaction = ReadTransaction(store: self, access: access)
            pool.setCurrent(transaction)
            if let cancellation {
                // If it was cancelled already, the caller's thread finds that out, too.
                try? cancellation.run { access.connection.untilCancelled { readers.work(transaction) } }
            } else {
                readers.work(transaction)
            }
            transaction.end()
            pool.setCurrent(nil)
            access.rollback()
            return { readers.finish() }
        }
    }
}

extension ReadTransaction {
    /// Makes a value of each batch of a type's resources on all threads, and passes the values on in the order of the resources, on this thread.
    /// Memory holds a few batches of each thread.
    ///
    /// - Parameters:
    ///   - readers: the other threads.
    ///   - transform: makes a value of up to 256 resources; called on any thread, with a transaction of the same snapshot.
    ///   - deliver: gets the values.
    /// - Throws: errors of `transform`, after what came before was delivered; errors of `deliver`; `FHIRStoreError`.
    func forEachBatch<Value: Sendable>(
        ofTypeNamed name: String, on readers: SnapshotReaders,
        transform: @escaping @Sendable (ReadTransaction, [Registration]) -> PartialResult<Value>, deliver: (Value) throws -> Void
    ) throws {
        let results = SnapshotReaders.Values<PartialResult<Value>>(of: readers, self)
        func passOn(_ result: PartialResult<Value>) throws { try result.passOn(deliver) }
        try results.passOnAll(passOn) {
            try forEachBatch(ofTypeNamed: name) { batch in try results.add({ transform($0, batch) }, passOn) }
        }
    }
}

// MARK: - Ranges

extension FHIRStore {
    /// The weight that the value of a range is to have: enough to pass it on, and little enough to keep a few for each thread in memory.
    private static let weightOfRange = 2_048
    /// The width of the first ranges.
    private static let firstWidth: Int64 = 256
    /// Each thread gets at least so many ranges.
    private static let rangesOfThread = 16

    /// Makes a value of each of the ranges that a type's numbers are split into, on several threads, and passes the values on in the order of the
    /// numbers, on this one. How wide ranges are follows from the weight of the values before.
    ///
    /// - Parameters:
    ///   - name: the type.
    ///   - prepare: makes what `transform` needs; nil to call `alone`.
    ///   - transform: makes the value of a range, and says about how much memory that takes: the number of rows or resources. Called on any thread, in
    ///     which a read of the store sees the same snapshot.
    ///   - deliver: gets the values.
    ///   - alone: called where there are no other threads.
    /// - Throws: errors of `transform`, after what came before was delivered; errors of the others; `FHIRStoreError`.
    package func forEachRange<Plan: Sendable, Value: Sendable>(
        ofTypeNamed name: String, prepare: (ReadTransaction) throws -> Plan?,
        transform: @escaping @Sendable (ReadTransaction, Plan, ClosedRange<Int64>) -> (result: PartialResult<Value>, weight: Int),
        deliver: (Value) throws -> Void, alone: (ReadTransaction) throws -> Void
    ) throws {
        try readTogether { transaction, readers in
            guard let readers, let plan = try prepare(transaction) else { return try alone(transaction) }
            guard let numbers = try transaction.numbers(ofTypeNamed: name) else { return }
            let values = SnapshotReaders.Values<(result: PartialResult<Value>, weight: Int)>(of: readers, transaction)
            // Where few resources have rows, ranges would widen until one thread has all that are left.
            let span = numbers.upperBound - numbers.lowerBound + 1
            let greatest = max(span / Int64(Self.rangesOfThread * (readers.count + 1)), Self.firstWidth)
            var width = Self.firstWidth
            func passOn(_ range: (result: PartialResult<Value>, weight: Int)) throws {
                try range.result.passOn(deliver)
                // Wider by steps, as resources may come close together again; narrower at once.
                if range.weight < Self.weightOfRange / 2 {
                    width = min(width * 2, greatest)
                } else if range.weight > Self.weightOfRange {
                    width = max(width * Int64(Self.weightOfRange) / Int64(range.weight), 1)
                }
            }
            var next = numbers.lowerBound
            while next <= numbers.upperBound {
                let range = next...min(next + width - 1, numbers.upperBound)
                next = range.upperBound + 1
                try values.add({ transform($0, plan, range) }, passOn)
            }
            try values.finish(passOn)
        }
    }
}

extension ReadTransaction {
    /// The numbers that the resources of a type lie between; nil if there are none.
    fileprivate func numbers(ofTypeNamed name: String) throws -> ClosedRange<Int64>? {
        try perform {
            let table = try table(ofTypeNamed: name)
            try access.schema.requireWhole(table, access.connection)
            guard table.isInFile, let first = try access.connection.integer("SELECT min(_k) FROM \(table.quotedName)"),
                let last = try access.connection.integer("SELECT max(_k) FROM \(table.quotedName)"), first <= last
            else { return nil }
            return RowKey.root(first)...RowKey.root(last)
        }
    }

    /// Calls `body` with the resources of a type whose numbers are in a range, in their order.
    ///
    /// - Throws: `FHIRStoreError`; errors of `body`.
    package func forEach(typeName: String, in numbers: ClosedRange<Int64>, _ body: (FHIRResource) throws -> Void) throws {
        try perform {
            let table = try table(ofTypeNamed: typeName)
            // A file may have any keys. No resource has a negative number.
            var last = max(numbers.lowerBound, 0) - 1
            while last < numbers.upperBound {
                let read = try registrations(of: table, after: last)
                guard let end = read.last else { return }
                last = end.root
                let batch = last > numbers.upperBound ? Array(read.prefix { $0.root <= numbers.upperBound }) : read
                try loader.forEach(batch) { resource in
                    try Cancellation.check()
                    try body(resource)
                }
            }
        }
    }
}

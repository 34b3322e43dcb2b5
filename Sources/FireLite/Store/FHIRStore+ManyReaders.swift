import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

// Reading one snapshot with several threads.

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
        guard let connections = try mapping({ try beginTogether(maximumCores) }) else { return try read { try body($0, nil) } }
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

    /// Connections that have begun to read the same snapshot; nil if there are none to be had.
    private func beginTogether(_ count: Int) throws -> [StoreConnection]? {
        guard let probe = try pool.openReader(), probe.stillFile == nil else { return nil }
        var connections: [StoreConnection] = []
        while connections.count < count, let connection = try pool.openReader() { connections.append(connection) }
        guard connections.count == count else { return nil }
        for _ in 0..<Self.attempts {
            // Nobody has committed between the first and the last to begin, so that all see the same.
            let before = try probe.dataVersion()
            for connection in connections { try connection.begin() }
            if try probe.dataVersion() == before { return connections }
        }
        for connection in connections { connection.rollback() }
        return nil
    }

    private func start(_ readers: SnapshotReaders, _ access: StoreConnection) {
        // Only the new thread uses the connection from here on.
        let handedOver = HandedOver(access)
        readers.begin()
        _ = transfers.add { [self] in
            let access = handedOver.value
            let transaction = ReadTransaction(store: self, access: access)
            pool.setCurrent(transaction)
            readers.work(transaction)
            transaction.end()
            pool.setCurrent(nil)
            access.rollback()
            return { readers.finish() }
        }
    }
}

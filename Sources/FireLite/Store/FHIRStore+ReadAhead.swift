import FireLiteSQLiteBridge

// Reading for sequences: on a thread, a connection and a snapshot of their own, which a slow loop keeps as long as it lasts. The loop may read
// and write the store meanwhile.

extension FHIRStore {
    /// Begins to read elements for a task.
    ///
    /// - Parameters:
    ///   - capacity: the size of the elements that wait for the task, after which reading waits.
    ///   - body: reads on a thread of the store, and hands over each element with its size.
    package func readAhead<Element: Sendable>(
        capacity: Int, _ body: @escaping @Sendable (_ put: (Element, _ size: Int) throws -> Void) throws -> Void
    ) -> ReadAhead<Element> {
        let cancellation = Cancellation(interruptsWrites: true)
        let ahead = ReadAhead<Element>(capacity: capacity, cancellation: cancellation)
        _ = transfers.add {
            let result = Result { try cancellation.run { try self.readAlone { try body { try ahead.put($0, size: $1) } } } }
            return { ahead.finish(result) }
        }
        return ahead
    }

    /// Runs `body` on a snapshot with a connection of its own, which `read` inside it uses. A store in memory is copied for it.
    private func readAlone(_ body: () throws -> Void) throws {
        try pool.beginReadingAlone()
        defer { pool.endReadingAlone() }
        try recordingReads { reads in
            try mapping { try read(on: pool.openReader() ?? copyInMemory(), reads) { _ in try body() } }
        }
    }

    private func copyInMemory() throws -> StoreConnection {
        let connection = try Connection(path: ":memory:")
        try TextMatcher.register(connection)
        try readWithoutRecord { transaction in
            let backup = try Backup(from: transaction.access.connection, to: connection)
            while try backup.step(pages: 1_024) { try Cancellation.check() }
        }
        return try StoreConnection(connection, release: release, bases: configuration.bases, clock: configuration.clock)
    }
}

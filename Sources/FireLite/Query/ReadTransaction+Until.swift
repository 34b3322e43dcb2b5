import FireLiteSQLiteBridge

extension ReadTransaction {
    /// Runs `body` until a moment, at which a statement of it ends within about a millisecond.
    ///
    /// - Parameters:
    ///   - end: the moment. If it has passed, `body` is not called.
    ///   - body: reads from this transaction.
    /// - Returns: nil if the moment came first.
    /// - Throws: errors of `body`; `CancellationError` if the task of this thread is cancelled.
    package func until<Value>(_ end: ContinuousClock.Instant, _ body: () throws -> Value) throws -> Value? {
        requireActive()
        guard .now < end else { return nil }
        do {
            return try store.mapping { try access.connection.withProgress({ ContinuousClock.now < end }, body) }
        } catch let error as FHIRStoreError where error.code == .interrupted && ContinuousClock.now >= end {
            try Cancellation.check()
            return nil
        }
    }
}

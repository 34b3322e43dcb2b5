import Foundation

/// The open streams of events, counted so that they have a limit.
///
/// `@unchecked Sendable`: `lock` guards `count`.
final class EventStreams: @unchecked Sendable {
    private let lock = NSLock()
    private let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    /// Takes a place.
    ///
    /// - Throws: `ServiceFault` with status 503 if all are taken.
    func open() throws {
        try lock.withLock {
            guard count < limit else {
                throw ServiceFault(503, "throttled", "\(limit) streams of events are open already", fields: ["Retry-After": "10"])
            }
            count += 1
        }
    }

    func close() { lock.withLock { count -= 1 } }
}

import FireLite
import FireLiteSync
import Foundation

/// One line on a terminal with the progress of a sync, redrawn in place.
///
/// `@unchecked Sendable`: the lock guards the output and the state.
final class SyncProgressLine: @unchecked Sendable {
    private static let interval = Duration.milliseconds(200)

    private let lock = NSLock()
    private let output: any ByteOutput
    private let clock = ContinuousClock()
    private var lastDrawn: ContinuousClock.Instant?

    init(_ output: any ByteOutput) { self.output = output }

    /// Draws the line, unless it was drawn a moment ago. A terminal that is gone does not end the sync.
    func update(_ progress: SyncProgress) {
        lock.withLock {
            let now = clock.now
            if let lastDrawn, lastDrawn.duration(to: now) < Self.interval { return }
            lastDrawn = now
            try? output.write("\r" + Self.text(progress) + "\u{1B}[K")
        }
    }

    /// Clears the line.
    func clear() { lock.withLock { if lastDrawn != nil { try? output.write("\r\u{1B}[K") } } }

    static func text(_ progress: SyncProgress) -> String {
        let what = progress.phase == .pull ? "pulling \(progress.typeName ?? "")" : "pushing"
        let total = progress.total.map { " of \(Figures.count($0))" } ?? ""
        return "\(what): \(Figures.count(progress.done))\(total)"
    }
}

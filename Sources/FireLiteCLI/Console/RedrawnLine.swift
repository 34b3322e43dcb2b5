import FireLite
import FireLiteTerminal
import Foundation

/// One line on a terminal with the progress of long work, redrawn in place at most five times a second, by any thread.
///
/// `@unchecked Sendable`: the lock guards the output and the state.
final class RedrawnLine: @unchecked Sendable {
    private static let interval = Duration.milliseconds(200)

    private let lock = NSLock()
    private let output: any ByteOutput
    private let clock = ContinuousClock()
    private var lastDrawn: ContinuousClock.Instant?

    init(_ output: any ByteOutput) { self.output = output }

    /// Draws the line, unless it was drawn a moment ago. A terminal that is gone does not end the work.
    func update(_ text: @autoclosure () -> String) {
        lock.withLock {
            let now = clock.now
            if let lastDrawn, lastDrawn.duration(to: now) < Self.interval { return }
            lastDrawn = now
            do { try output.write("\r" + text() + "\u{1B}[K") } catch {}
        }
    }

    /// Clears the line.
    func clear() {
        lock.withLock {
            guard lastDrawn != nil else { return }
            do { try output.write("\r\u{1B}[K") } catch {}
        }
    }
}

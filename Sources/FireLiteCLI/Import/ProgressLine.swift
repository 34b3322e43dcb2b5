import FireLite
import FireLiteTerminal
import Foundation

/// One line on a terminal with the progress of an import, redrawn in place.
final class ProgressLine {
    private static let interval = Duration.milliseconds(200)

    private let output: any ByteOutput
    /// The total number of bytes, if known.
    private let total: Int?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastDrawn: ContinuousClock.Instant
    private var isDrawn = false

    init(_ output: any ByteOutput, total: Int?) {
        self.output = output
        self.total = total
        start = clock.now
        lastDrawn = start
    }

    /// Draws the line, unless it was drawn a moment ago.
    func update(resources: Int, bytes: Int) throws {
        let now = clock.now
        guard lastDrawn.duration(to: now) >= Self.interval else { return }
        lastDrawn = now
        isDrawn = true
        // Return to the first column, and clear the rest of a longer line.
        try output.write("\r" + Self.text(resources: resources, bytes: bytes, total: total, elapsed: start.duration(to: now)) + "\u{1B}[K")
    }

    /// Clears the line.
    func clear() throws {
        if isDrawn { try output.write("\r\u{1B}[K") }
        isDrawn = false
    }

    static func text(resources: Int, bytes: Int, total: Int?, elapsed: Duration) -> String {
        let seconds = max(elapsed.seconds, 0.001)
        var parts = [
            Figures.count(resources, "resource"), "\(Figures.count(Int(Double(resources) / seconds)))/s", Figures.bytes(bytes),
        ]
        if let total, total > 0, bytes > 0 {
            parts[2] += " of \(Figures.bytes(total))"
            parts.append("\(Figures.remaining(seconds * Double(max(total - bytes, 0)) / Double(bytes))) left")
        }
        return parts.joined(separator: ", ")
    }
}

import Foundation

/// One line on a terminal that says what is being measured, drawn over itself; silent elsewhere.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = Stopwatch.seconds(CLOCK_MONOTONIC)

    func show(_ text: String) {
        let seconds = Int(Stopwatch.seconds(CLOCK_MONOTONIC) - start)
        if isShown { write("\r\u{1B}[K\(seconds) s  \(text)") }
    }

    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

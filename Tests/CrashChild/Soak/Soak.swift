import FireLite
import FireLiteR4
import Foundation

/// One of the two processes of a soak: four readers and a writer, each on a thread, for so many seconds.
struct Soak {
    let folder: String
    let seconds: Double
    /// Which of `SoakContent.writers` this process has.
    let writer: Int
    private static let readers = 4
    /// What has not ended when the watch has looked so often, five times a second, is stuck.
    private static let patience = 600

    func run() throws -> SoakReport {
        let log = SoakLog()
        var report = SoakReport()
        let board = try SoakBoard(path: folder + "/board")
        // Queues, caches and classes come to stay with the first use.
        let before = try OpenCloseRounds(folder: folder + "/warm-\(writer)").warmUp()
        let start = Date()
        let results = try work(board, log) { elapsed in
            report.descriptorsAtMost = max(report.descriptorsAtMost, try Holdings.now().descriptors)
            if elapsed < seconds / 3 { report.earlyMegabytes = Holdings.residentMegabytes }
            report.megabytes = Holdings.residentMegabytes
        }
        report.seconds = Date().timeIntervalSince(start)
        report.progress = results
        report.counts = log.allCounts
        let after = try Holdings.settled(at: before)
        (report.descriptorsBefore, report.sqliteBytesBefore) = (before.descriptors, before.sqliteBytes)
        (report.descriptorsAfter, report.sqliteBytesAfter) = (after.descriptors, after.sqliteBytes)
        return report
    }

    /// Runs the threads to their end; the store is closed then.
    private func work(_ board: SoakBoard, _ log: SoakLog, _ sample: (TimeInterval) throws -> Void) throws -> SoakContent.Progress {
        var configuration = FHIRStore.Configuration()
        configuration.busyTimeout = .milliseconds(60_000)
        let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
        let start = Date()
        let end = start + seconds
        let group = DispatchGroup()
        let last = Last()
        @Sendable func isOver() -> Bool { Date() >= end || log.hasFailed }
        @Sendable func guarded(_ name: String, _ body: () throws -> Void) {
            do { try body() } catch { log.fail("\(name): \(error)") }
            log.end(name)
            group.leave()
        }
        func thread(_ body: @escaping @Sendable () -> Void) {
            group.enter()
            let thread = Thread { body() }
            thread.stackSize = 8 << 20
            thread.start()
        }
        let (folder, writer) = (folder, writer)
        thread {
            guarded("writer") {
                let worker = SoakWriter(store: store, board: board, log: log, writer: writer, folder: folder)
                var number = 0
                while !isOver() {
                    try worker.step(number)
                    number += 1
                }
                last.progress = worker.progress
            }
        }
        for reader in 0..<Self.readers {
            let name = "reader \(reader)"
            thread {
                guarded(name) {
                    let worker = SoakReader(store: store, board: board, log: log, name: name, seed: UInt64(100 + writer * 10 + reader))
                    while !isOver() { try worker.step() }
                }
            }
        }
        while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
            try sample(Date().timeIntervalSince(start))
            if let stuck = log.stuck(after: Self.patience) { throw SoakContent.Broken(description: "stuck: \(stuck)") }
        }
        let failures = log.allFailures
        guard failures.isEmpty else { throw SoakContent.Broken(description: failures.joined(separator: "; ")) }
        return last.progress
    }

    /// What the writer had committed when it ended.
    private final class Last: @unchecked Sendable {
        // Written before the writer leaves the group and read after the group was waited for.
        var progress = SoakContent.Progress()
    }
}

import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import CrashChild

/// Mixed work by eight readers and two writers in two processes, with every invariant checked all the time (`SoakContent`).
/// 5 seconds, 10 minutes with `FIRELITE_NIGHTLY`, half a minute under a sanitizer.
@Suite struct SoakTests {
    @Test func eightReadersAndTwoWritersInTwoProcesses() async throws { try await onThread { try Self.soak() } }

    private static func soak() throws {
        let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
        let seconds = isNightly ? 600.0 : Effort.isReduced ? 30 : 5
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try SoakContent.prepare(path)
            let children = try ["0", "1"].map { writer in
                let output = Pipe()
                let child = try ChildProgram.process(["soak", folder, "\(seconds)", writer], output: output)
                try child.run()
                return (process: child, output: output)
            }
            // The processes watch over themselves; this one over them.
            let watch = DispatchWorkItem { for child in children { kill(child.process.processIdentifier, SIGKILL) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds * 2 + 300, execute: watch)
            let reports = try children.map { child in
                let output = child.output.fileHandleForReading.readDataToEndOfFile()
                child.process.waitUntilExit()
                #expect(child.process.terminationReason == .exit && child.process.terminationStatus == 0)
                return try JSONDecoder().decode(SoakReport.self, from: output)
            }
            watch.cancel()
            try SoakContent.verify(try FHIRStore(path: path, release: .r4), reports.map(\.progress))
            #expect(reports.reduce(0) { $0 + $1["commits"] } > 0)
            for report in reports { try expectSteady(report, isLong: isNightly) }
        }
    }

    private static func expectSteady(_ report: SoakReport, isLong: Bool) throws {
        #expect(report.descriptorsAfter == report.descriptorsBefore)
        #expect(report.sqliteBytesAfter == report.sqliteBytesBefore)
        // Nine connections, one more of a backup and its copy's two, each with a file and its log, and the shared memory.
        #expect(report.descriptorsAtMost <= report.descriptorsBefore + 40)
        if !Effort.isReduced {
            #expect(report.megabytes <= report.earlyMegabytes * 5 / 4 + 64)
        }
        #expect(report["snapshots"] > 0)
        if isLong {
            for what in [
                "commits", "queries", "conflicts", "undone", "scans", "queries cancelled", "statements cancelled", "checkpoints", "indexes",
                "backups",
            ] {
                #expect(report[what] > 0, "\(what)")
            }
        }
        let counts = report.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print(
            "soak: \(Int(report.seconds)) s: \(counts); descriptors \(report.descriptorsBefore) before, at most \(report.descriptorsAtMost),",
            "\(report.descriptorsAfter) after; \(report.earlyMegabytes) MB after a third, \(report.megabytes) MB at the end")
    }
}

import Foundation
import TestSupport
import Testing

@testable import CrashChild

/// A store that was let go of leaves nothing open, however it was left off. 40 times, 10,000 with `FIRELITE_NIGHTLY`.
@Suite struct OpenCloseTests {
    /// In a process of its own, where nothing else opens files: after each round the descriptors and SQLite's memory are what they were before.
    @Test func nothingIsLeftOpen() async throws { try await onThread { try Self.openAndClose() } }

    private static func openAndClose() throws {
        let rounds = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] == nil ? 40 : 10_000
        try withTemporaryFolder { folder in
            let (output, status) = try ChildProgram.run(["rounds", folder + "/rounds", "\(rounds)"])
            #expect(status == 0, "\(output)")
            let report = try JSONDecoder().decode(OpenCloseRounds.Report.self, from: Data(output.utf8))
            #expect(report.rounds == rounds)
            // That what is open is seen.
            #expect(report.openDescriptors > report.descriptors + 2 && report.openSQLiteBytes > report.sqliteBytes + 10_000)
            // Sanitizers keep memory that was freed.
            if rounds >= 1_000, !Effort.isReduced {
                #expect(report.megabytes[9] <= report.megabytes[1] + 16)
            }
            print(
                "rounds: \(report.rounds) in \(Int(report.seconds)) s, each left \(report.descriptors) descriptors and",
                "\(report.sqliteBytes) bytes of SQLite's as before (an open store: \(report.openDescriptors) and \(report.openSQLiteBytes));",
                "after each tenth \(report.megabytes) MB")
        }
    }
}

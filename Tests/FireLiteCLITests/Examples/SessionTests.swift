import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Runs the session of README.md and compares what each command prints.
struct SessionTests {
    @Test func theSessionOfTheReadmeRunsAsWritten() throws {
        let readme = try PackageFolder.text(of: "README.md")
        let session = try #require(readme.components(separatedBy: "```console\n").dropFirst().first?.components(separatedBy: "```").first)
        let folder = try TemporaryFolder()
        let steps = session.components(separatedBy: "$ ").dropFirst()
        #expect(steps.count >= 8)
        for step in steps {
            let lines = step.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let words = ShellWords.words(lines[0])
            guard words[0] == "firelite" else {
                // The session shows the file that it begins with.
                #expect(words.count == 2 && words[0] == "cat")
                try folder.write(words[1], lines[1])
                continue
            }
            let run = try ToolRun.any(words.dropFirst().map { $0.hasSuffix(".sqlite") || $0.hasSuffix(".ndjson") ? folder.file($0) : $0 })
            #expect(Self.withoutTimes(run.output + run.error) == Self.withoutTimes(lines[1]), "\(lines[0])")
        }
    }

    private static func withoutTimes(_ text: String) -> String { text.replacing(/seconds [0-9.]+/, with: "seconds") }
}

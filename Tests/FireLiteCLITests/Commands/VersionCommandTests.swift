import FireLite
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct VersionCommandTests {
    @Test(arguments: [["--version"], ["version"]]) func versionNamesToolLibraryAndFormat(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)
        #expect(run.status == .done && run.error.isEmpty)
        #expect(run.lines[0] == "firelite \(FireLiteBuild.version)")
        #expect(try run.lines[1] == FireLiteBuild.library)
        #expect(
            run.lines[2...] == ["file format \(FireLiteBuild.fileFormat)", "FHIR DSTU2 1.0.2, STU3 3.0.2, R4 4.0.1, R4B 4.3.0, R5 5.0.0"])
        #expect(run.lines[1].wholeMatch(of: /(SQLCipher \d+(\.\d+)+ \()?SQLite 3(\.\d+)+\)?/) != nil)
        #expect(try ToolRun("--version", "--all").status == .usage)
    }

    /// The number of the newest release on the change log; under "Unreleased", that of the release to come.
    @Test func theChangelogAndTheVersionAgree() throws {
        let headings = try PackageFolder.text(of: "CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        let newest = try #require(headings.first)
        let versions = try headings.compactMap { try Self.number(in: $0) }
        let version = try #require(try Self.number(in: FireLiteBuild.version[...]))
        if newest.contains("Unreleased") {
            // Raise the number after a release.
            if let released = versions.first { #expect(released.lexicographicallyPrecedes(version)) }
        } else {
            #expect(versions.first == version)
        }
    }

    /// The parts of the first number of three parts.
    private static func number(in text: Substring) throws -> [Int]? {
        try /(\d+)\.(\d+)\.(\d+)/.firstMatch(in: text).map { try [$0.1, $0.2, $0.3].map { try #require(Int($0)) } }
    }
}

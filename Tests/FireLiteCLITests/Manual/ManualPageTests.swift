import FireLite
import Foundation
import Testing

@testable import FireLiteCLI

struct ManualPageTests {
    private let folder: TemporaryFolder
    private let page: String

    init() throws {
        folder = try TemporaryFolder()
        let run = try ToolRun("manual")
        #expect(run.status == .done && run.error.isEmpty)
        page = run.output
        try folder.write("firelite.1", page)
    }

    /// The lines without overstruck characters, and without spaces at their ends.
    private func plain(_ text: String) -> String { text.replacing(/.\u{8}/, with: "").replacing(/\u{1B}\[[0-9;]*m/, with: "") }

    @Test func sectionsAreInTheUsualOrder() {
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }
        #expect(
            sections.map { $0.dropFirst(5).dropLast() } == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO",
            ])
        #expect(page.contains(#".TH FIRELITE 1 "" "FireLite \#(FireLiteBuild.version)""#))
    }

    @Test func everyCommandOptionKeyAndExampleIsThere() {
        for definition in FireLiteTool.definitions {
            #expect(page.contains("\n.SS \"firelite \(Roff.escaped(definition.name))\"\n"))
            for option in definition.options { #expect(page.contains("\n\(Roff.bold(option.term))\n")) }
            for key in definition.jsonKeys { #expect(page.contains("\n\(Roff.bold(key.name))\n")) }
            for example in definition.examples { #expect(page.contains("\n\(Roff.line(example))\n")) }
        }
    }

    @Test func noTextIsARequest() {
        #expect(Roff.line(".SH x") == #"\&.SH x"#)
        #expect(Roff.line("'a' \\ -b \"…\"") == #"\(aqa\(aq \e \-b \(dq\[u2026]\(dq"#)
        let paragraphs = Roff.paragraphs("One two.\nThree.\n  .four\nFive")
        #expect(paragraphs == [".PP", "One two.", "Three.", ".RS 4", ".nf", #"\&.four"#, ".fi", ".RE", "Five"])
    }

    @Test(.enabled(if: ShellProgram.isInstalled("groff"), "groff is not installed")) func groffPrintsItWithoutWarnings() throws {
        // Into a file, so that only warnings remain.
        let run = try #require(ShellProgram("sh")).run(["-c", "groff -man -Tutf8 -ww -rLL=100n firelite.1 >text"], in: folder)
        #expect(run == ShellProgram.Result(output: "", status: 0))
        let text = plain(try folder.read("text"))
        #expect(text.contains("firelite - FHIR resources in an SQLite file"))
        #expect(text.contains("--on-error stop|skip") && text.contains("--offset ±HH:MM|Z"))
        #expect(text.contains("firelite find health.sqlite Patient gender=female or 'birthDate<1970'"))
    }

    /// The page has no date on purpose.
    @Test(.enabled(if: ShellProgram.isInstalled("mandoc"), "mandoc is not installed")) func mandocFindsNothingWrong() throws {
        let run = try #require(ShellProgram("mandoc")).run(["-T", "lint", "-W", "warning", "firelite.1"], in: folder)
        #expect(run.lines.filter { !$0.contains("missing date") } == [])
    }
}

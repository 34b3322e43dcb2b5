import Foundation
import Testing

@testable import FireLiteCLI

/// The completions, in the shells themselves.
struct CompletionsTests {
    /// A command line up to the cursor, and what its last word may become.
    struct Case: CustomTestStringConvertible, Sendable {
        let words: [String]
        let expected: [String]
        var testDescription: String { words.joined(separator: " ") }

        init(_ line: String, _ expected: [String]) {
            words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            self.expected = expected
        }
    }

    static let cases = [
        Case("firelite im", ["import"]), Case("firelite --v", ["--version"]), Case("firelite rek", ["rekey"]),
        Case("firelite re", ["records", "recover", "register", "rekey", "reseal", "restore", "revoke"]),
        Case("firelite restore BodySt", ["BodyStructure/"]),
        Case("firelite import --fr", ["--from-server"]), Case("firelite prune --k", ["--keep", "--key-file"]),
        Case("firelite import --on-error ", ["skip", "stop"]), Case("firelite import --len", ["--lenient-dates"]),
        Case("firelite import --database a", ["a.sqlite"]), Case("firelite import --database a.sqlite --on-error skip da", ["data.ndjson"]),
        Case("firelite export --output ", ["folder"]),
        Case("firelite export --type Group --type Obs", ["Observation", "ObservationDefinition"]),
        Case("firelite get BodySt", ["BodyStructure/"]), Case("firelite find BodySt", ["BodyStructure"]),
        Case("firelite find --limit 3 BodySt", ["BodyStructure"]), Case("firelite find Patient BodySt", []),
        Case("firelite index ", ["create", "drop", "list"]), Case("firelite index --set references create BodySt", ["BodyStructure"]),
        Case("firelite index --set ", ["codes", "dates", "identifiers", "references"]),
        Case("firelite info --release ", ["DSTU2", "R4", "R4B", "R5", "STU3"]),
        Case("firelite recover a.sqlite da", ["data.ndjson"]), Case("firelite backup a.sqlite da", []),
        Case("firelite completions ", ["bash", "fish", "zsh"]), Case("firelite help imp", ["import"]), Case("firelite nothing BodySt", []),
        // A database may stand in front of a command's own operands.
        Case("firelite find a.", ["a.sqlite"]), Case("firelite find a.sqlite BodySt", ["BodyStructure"]),
        Case("firelite get --release R4 a.sqlite BodySt", ["BodyStructure/"]), Case("firelite check a.", ["a.sqlite"]),
        // What follows the type is a condition.
        Case("firelite find a.sqlite Patient BodySt", []),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for shell in Shell.allCases {
            let run = try ToolRun("completions", shell.rawValue)
            #expect(run.status == .done && run.error.isEmpty)
            try folder.write("_\(shell)", run.output)
        }
        for name in ["a.sqlite", "data.ndjson"] { try folder.write(name, "") }
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    }

    @Test func anUnknownShellIsAUsageError() throws {
        let run = try ToolRun("completions", "ksh")
        #expect(run.status == .usage && run.error == "firelite completions: 'ksh' is not bash, zsh or fish: did you mean 'zsh'?\n")
    }

    @Test func everyCommandAndOptionIsInEveryScript() throws {
        for shell in Shell.allCases {
            let script = try folder.read("_\(shell)")
            for definition in FireLiteTool.definitions {
                #expect(script.contains(definition.name))
                for option in definition.options {
                    #expect(script.contains(shell == .fish ? " -l \(option.name)" : "--\(option.name)"), "\(shell) \(option.name)")
                }
            }
        }
    }

    @Test func quotedTextsAreOneWord() throws {
        let text = #"it's "a" \ $HOME `b`"#
        for shell in Shell.allCases {
            guard let program = ShellProgram(shell.rawValue) else { continue }
            #expect(try program.run(["-c", "printf '%s' \(shell.quoted(text))"], in: folder).output == text)
        }
    }

    // MARK: - Bash

    private func bash(_ words: [String]) throws -> [String] {
        let script = #"source ./_bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _firelite; printf '%s\n' "${COMPREPLY[@]}""#
        return try #require(ShellProgram("bash")).run(["--norc", "-c", script, "bash"] + words, in: folder).lines.sorted()
    }

    @Test(.enabled(if: ShellProgram.isInstalled("bash"), "bash is not installed"), arguments: cases)
    func bashCompletes(_ line: Case) throws {
        #expect(try bash(line.words) == line.expected)
    }

    @Test(.enabled(if: ShellProgram.isInstalled("bash"), "bash is not installed"))
    func bashCompletesAfterEqualsSignsAndOptionsWithoutOperands() throws {
        #expect(try bash(["firelite", "import", "--on-error", "=", "sk"]) == ["skip"])
        #expect(try bash(["firelite", "import", "--on-error", "="]) == ["skip", "stop"])
        #expect(try bash(["firelite", "import", "--on-error", "=", "skip", "da"]) == ["data.ndjson"])
        #expect(try bash(["firelite", "reseal", ""]) == ["--database", "--help", "--json", "--release"])
        try folder.write("with space.ndjson", "")
        #expect(try bash(["firelite", "import", "wi"]) == ["with space.ndjson"])
    }

    // MARK: - Zsh

    /// Types each line and the tabulator into a shell on a terminal of its own, and prints what the line has become.
    private static let typing = #"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source ./_zsh; show() { print -r -- "<<$BUFFER>>"; BUFFER= }'
        zpty -w shell 'zle -N show; bindkey "^T" show; print rea""dy'
        zpty -r shell reply '*ready*'
        for line in "$@"; do
            zpty -n -w shell "$line"$'\t\x14'
            zpty -r shell reply '*<<*>>*'
            print -r -- "${${reply##*<<}%%>>*}"
        done
        """#

    /// Only unambiguous words, which a tabulator completes at once.
    @Test(.enabled(if: ShellProgram.isInstalled("zsh"), "zsh is not installed")) func zshCompletes() throws {
        let cases = Self.cases.filter { $0.expected.count <= 1 && $0.words.last != "" }
        #expect(cases.count > 10)
        let lines = cases.map { $0.words.joined(separator: " ") } + ["firelite import --on-error=sk"]
        let expected =
            cases.map { line in
                let word = line.expected.first ?? line.words[line.words.count - 1]
                let isComplete = !line.expected.isEmpty && !word.hasSuffix("/")
                return (line.words.dropLast() + [word]).joined(separator: " ") + (isComplete ? " " : "")
            } + ["firelite import --on-error=skip "]
        let zsh = try #require(ShellProgram("zsh"))
        #expect(try zsh.run(["-n", "_zsh"], in: folder) == ShellProgram.Result(output: "", status: 0))
        let run = try zsh.run(["-f", "-c", Self.typing, "zsh"] + lines, in: folder)
        #expect(run.lines == expected)
    }

    // MARK: - Fish

    @Test(.enabled(if: ShellProgram.isInstalled("fish"), "fish is not installed"), arguments: cases)
    func fishCompletes(_ line: Case) throws {
        let script = "source ./_fish; complete -C \(Shell.fish.quoted(line.words.joined(separator: " ")))"
        let run = try #require(ShellProgram("fish")).run(["--no-config", "-c", script], in: folder)
        // A description follows after a tabulator.
        let words = run.lines.map { $0.split(separator: "\t")[0] }.map { $0.hasSuffix("folder/") ? String($0.dropLast()) : String($0) }
        #expect(words.sorted() == line.expected)
    }
}

import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteReleases
import FireLiteSearch
import Foundation

/// The command-line tool `firelite`: arguments in, texts and an exit status out.
struct FireLiteTool {
    /// The FHIR releases that `--release` knows by name, the oldest first.
    static let releases = BundledRelease.all

    /// Every command, in the order of the help.
    static var commands: [any Command.Type] { CommandGroup.all.flatMap(\.commands) }

    /// The names of the resource types of every release.
    static var resourceTypes: [String] { Set(releases.flatMap(\.release.resourceTypeNames)).sorted() }

    /// The definitions of the commands, in the order of the help.
    static var definitions: [CommandDefinition] { commands.map { $0.definition } }

    let console: Console

    /// Runs one command.
    ///
    /// - Parameter arguments: the arguments after the tool's name.
    func run(arguments: [String]) -> ExitStatus {
        var name = "firelite"
        do {
            guard let first = arguments.first else { throw ToolError.usage("which command? `firelite --help` lists them") }
            let rest = Array(arguments.dropFirst())
            if first == "--help" || first == "-h" || first == "help" { return try help(on: rest.first) }
            let word = first == "--version" ? VersionCommand.definition.name : first
            guard let command = Self.command(named: word) else {
                guard !HelpText.topics.contains(first) else {
                    throw ToolError.usage("'\(first)' is a task and no command: `firelite help \(first)` says how it is done")
                }
                let hint = Self.hint(for: first, or: ["help", "--help", "--version"])
                throw ToolError.usage("unknown command '\(first)'\(hint): `firelite --help` lists them")
            }
            name = "firelite \(first)"
            if ParsedArguments.asksForHelp(rest) { return try help(on: word) }
            // Paths that are not absolute would lead nowhere.
            guard !FileManager.default.currentDirectoryPath.isEmpty else {
                throw ToolError.failed("the working folder is not there any more: change to another one")
            }
            var parsed = try ParsedArguments(rest, for: command.definition, environment: console.environment)
            parsed.note = { console.report("note: \($0)") }
            return try command.init(parsed).run(console)
        } catch is ReaderGone {
            return .unread
        } catch {
            let failure = Self.failure(error)
            console.reportFailure(of: name, failure.message)
            return failure.status
        }
    }

    static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.definition.name == name }
    }

    private func help(on name: String?) throws -> ExitStatus {
        if let name {
            guard let text = HelpText.text(on: name) else {
                throw ToolError.usage("unknown command or task '\(name)'\(Self.hint(for: name)): `firelite --help` lists them")
            }
            try console.print(text)
        } else {
            try console.print(HelpText.overview)
        }
        return .done
    }

    /// `, did you mean 'import'?` for a word that is near to a command, a task, a group or one of `others`.
    private static func hint(for word: String, or others: [String] = []) -> String {
        let words = definitions.map(\.name) + HelpText.topics + others
        return NearWords.nearest(to: word, among: words).map { ", did you mean '\($0)'?" } ?? ""
    }

    /// The error as the tool reports it.
    static func failure(_ error: any Error) -> ToolError {
        switch error {
        case let error as ToolError: error
        case is ImportFault, is FHIRDecodingError, is FHIRPathError, is ViewError: .incomplete(error)
        case let error as TransferError where error.code == .damaged || error.code == .noResources: .incomplete(error)
        default: .failed(error)
        }
    }
}

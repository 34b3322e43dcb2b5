import FireLite
import FireLiteFHIRPath
import FireLiteReleases
import FireLiteSearch
import Foundation

/// The command-line tool `firelite`: arguments in, texts and an exit status out.
struct FireLiteTool {
    /// The FHIR releases that `--release` knows by name, the oldest first.
    static let releases = BundledRelease.all

    /// Every command, in the order of the help.
    static var commands: [any Command.Type] {
        [
            ImportCommand.self, MigrateCommand.self, ExportCommand.self, GetCommand.self, FindCommand.self, SearchCommand.self,
            SQLCommand.self, FHIRPathCommand.self, ViewCommand.self, PublishCommand.self, TerminologyCommand.self,
            DeleteCommand.self, IndexCommand.self, BasesCommand.self, TrackCommand.self, ChangesCommand.self, HistoryCommand.self,
            RestoreCommand.self,
            PruneCommand.self, InfoCommand.self, ValidateCommand.self, PackageCommand.self, CheckCommand.self, BackupCommand.self,
            RekeyCommand.self, VacuumCommand.self, ResealCommand.self, RecoverCommand.self, DemoCommand.self, OutboxCommand.self,
            RegisterCommand.self, TokenCommand.self, SyncCommand.self, PullCommand.self, PushCommand.self, ConflictsCommand.self,
            AttachCommand.self, DetachCommand.self, BlobsCommand.self,
            AnnotateCommand.self, RecordsCommand.self, AppDataCommand.self,
            SamplesCommand.self, AuditCommand.self,
            PermitCommand.self, RevokeCommand.self, PermissionsCommand.self, SignCommand.self, VerifyCommand.self,
            VersionCommand.self, CompletionsCommand.self, ManualCommand.self,
        ]
    }

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
                throw ToolError.usage("unknown command '\(first)': `firelite --help` lists them")
            }
            name = "firelite \(first)"
            if ParsedArguments.asksForHelp(rest) { return try help(on: word) }
            let parsed = try ParsedArguments(rest, for: command.definition)
            return try command.init(parsed).run(console)
        } catch is ReaderGone {
            return .unread
        } catch {
            let failure = Self.failure(error)
            console.reportFailure(of: name, failure.message)
            return failure.status
        }
    }

    private static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.definition.name == name }
    }

    private func help(on name: String?) throws -> ExitStatus {
        if let name {
            guard let command = Self.command(named: name) else {
                throw ToolError.usage("unknown command '\(name)': `firelite --help` lists them")
            }
            try console.print(HelpText.command(command.definition))
        } else {
            try console.print(HelpText.overview(Self.definitions))
        }
        return .done
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

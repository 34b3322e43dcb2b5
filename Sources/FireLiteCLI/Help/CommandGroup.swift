/// Commands that belong together, as the help shows them.
struct CommandGroup {
    /// The word for `firelite help WORD`, which is no command.
    let name: String
    let title: String
    let commands: [any Command.Type]

    /// Every command is in one group.
    static var all: [CommandGroup] {
        [
            CommandGroup(
                name: "storing", title: "Storing and taking out",
                commands: [
                    ImportCommand.self, MigrateCommand.self, ExportCommand.self, GetCommand.self, PutCommand.self, PatchCommand.self,
                    EditCommand.self, DeleteCommand.self, EraseCommand.self, AttachCommand.self, DetachCommand.self, BlobsCommand.self,
                    AnnotateCommand.self, RecordsCommand.self, AppDataCommand.self, SamplesCommand.self,
                ]),
            CommandGroup(
                name: "asking", title: "Finding and asking",
                commands: [
                    FindCommand.self, SearchCommand.self, SQLCommand.self, FHIRPathCommand.self, ViewCommand.self, BrowseCommand.self,
                    PublishCommand.self, TerminologyCommand.self, SchemaCommand.self, IndexCommand.self,
                ]),
            CommandGroup(
                name: "comparing", title: "Changes and versions",
                commands: [
                    TrackCommand.self, ChangesCommand.self, HistoryCommand.self, DiffCommand.self, RestoreCommand.self, PruneCommand.self,
                    AuditCommand.self,
                ]),
            CommandGroup(
                name: "sharing", title: "Servers and permissions",
                commands: [
                    BasesCommand.self, RegisterCommand.self, TokenCommand.self, SyncCommand.self, PullCommand.self, PushCommand.self,
                    ConflictsCommand.self, OutboxCommand.self, PermitCommand.self, RevokeCommand.self, PermissionsCommand.self,
                    SignCommand.self, VerifyCommand.self,
                ]),
            CommandGroup(
                name: "keeping", title: "Care of the file, and the tool",
                commands: [
                    InfoCommand.self, ValidateCommand.self, PackageCommand.self, CodesCommand.self, CheckCommand.self, BackupCommand.self,
                    VacuumCommand.self, RekeyCommand.self, ResealCommand.self, RecoverCommand.self, DemoCommand.self, VersionCommand.self,
                    CompletionsCommand.self,
                    ManualCommand.self,
                ]),
        ]
    }
}

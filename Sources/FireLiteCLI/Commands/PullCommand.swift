import FireLiteSync

/// `firelite pull`: take over what a FHIR server has changed.
struct PullCommand: SyncingCommand {
    static let name = "pull"
    static let summary = "take over what a FHIR server has changed"
    static let direction = SyncDirection.pull
    let work: SyncWork
}

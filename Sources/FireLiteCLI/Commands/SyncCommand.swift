import FireLiteSync

/// `firelite sync`: pull what a FHIR server has changed, and push what was changed here.
struct SyncCommand: SyncingCommand {
    static let name = "sync"
    static let summary = "pull what a FHIR server has changed, and push what was changed here"
    static let direction = SyncDirection.both
    let work: SyncWork
}

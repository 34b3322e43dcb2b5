import FireLiteSync

/// `firelite push`: send what was changed here to a FHIR server.
struct PushCommand: SyncingCommand {
    static let name = "push"
    static let summary = "send what was changed here to a FHIR server"
    static let direction = SyncDirection.push
    let work: SyncWork
}

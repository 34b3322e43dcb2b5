import FireLite
import FireLiteCore
import Foundation

extension Error {
    /// Whether it says that one resource, or one row about it, cannot be read here, so that a sync goes on with the others.
    var isAboutOneResource: Bool {
        switch self {
        case is FHIRDecodingError: true
        case let error as FHIRStoreError: error.isDamage || [.notAStore, .newerFormat].contains(error.code) || error.concernsOneResource
        case let error as any ResourceFault: error.concernsOneResource
        default: false
        }
    }
}

extension WaitingChange {
    /// A state of the resource that a column has as JSON.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if it cannot be read, or is one of a resource of another type: such states cannot be compared.
    func resource(_ json: String?, _ column: String, _ release: FHIRRelease) throws -> FHIRResource? {
        guard let json else { return nil }
        let resource: FHIRResource
        do { resource = try FHIRJSON.resource(from: Data(json.utf8), release: release) } catch is FHIRDecodingError {
            throw SyncJournal.damage("_sync_change", number, column)
        }
        guard resource.resourceType == key.typeName else { throw SyncJournal.damage("_sync_change", number, column) }
        return resource
    }
}

extension SyncJournal {
    /// Whether the release has resources of a type.
    func isType(_ typeName: String) -> Bool { tx.store.release.hasResourceType(named: typeName) }

    /// The error for a row that is not one that this library wrote.
    static func damage(_ table: String, _ number: Int64, _ column: String) -> FHIRStoreError {
        FHIRStoreError(.notAStore, "row \(number) of \(table) is damaged: its \(column) is not valid: restore a backup")
    }

    /// Whether the store has a resource although its last change is a deletion.
    func isRefuted(_ deletion: WaitingChange) throws -> Bool {
        let key = deletion.key
        return try tx.registered(key.typeName, id: key.id) != nil && changes(of: key).last?.number == deletion.number
    }

    /// The state before a change; nil if there was none.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if it is no state of the change's resource.
    func base(_ change: WaitingChange) throws -> FHIRResource? { try change.resource(change.base, "base", tx.store.release) }

    /// The server's state of a conflict, for the store; nil if the server has deleted it.
    ///
    /// - Throws: as `base`.
    func remote(_ change: WaitingChange) throws -> FHIRResource? {
        let resource = try change.resource(change.remote, "remote", tx.store.release)
        resource?.id = change.key.id
        return resource
    }

    /// Notes that a change cannot be sent, as its resource cannot be read here. It goes on waiting.
    func noteDamage(_ change: WaitingChange, _ error: any Error) throws {
        let problem = (error as? any AdvisedError)?.text.problem ?? "its JSON is not valid"
        let issue = OutcomeIssue(
            severity: "error", code: "exception", diagnostics: "\(change.key.path) is not sent, as it cannot be read here: \(problem)")
        try run(
            "UPDATE _sync_change SET status = NULL, issues = ?, attempts = attempts + 1 WHERE change = ?",
            [.text(String(decoding: try JSONEncoder().encode([issue]), as: UTF8.self)), .integer(change.number)])
    }

    /// Notes the same for all changes of a resource.
    func noteDamage(_ key: SyncKey, _ error: any Error) throws {
        for change in try changes(of: key) { try noteDamage(change, error) }
    }
}

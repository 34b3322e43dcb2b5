import Foundation

/// Whether a resource is the same in the store and at the server, as far as is known.
public enum SyncState: String, Sendable, Codable {
    /// The server has the same content.
    case synced
    /// It has changes that are not sent yet.
    case pending
    /// The server has refused its changes.
    case parked
    /// It was changed on both sides, and nobody has decided yet.
    case conflict
    /// It is not known whether the store's state is what the user wants: mostly, the server has the resource, the store lacks it, and the change log
    /// no longer says whether it was deleted here. Nothing is sent and nothing is stored until ``Synchronizer/retry(_:id:)`` sends the deletion,
    /// ``Synchronizer/discard(_:id:)`` lets the next pull read the resource again, or the resource is edited.
    case undecided
}

/// A change that has not reached the server.
public struct PendingChange: Sendable, Hashable {
    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// Why it waits.
    public let state: SyncState
    /// How often the server has not accepted it.
    public let attempts: Int
    /// The last answer's status; nil if there was none.
    public let status: Int?
    /// What the server said about it. The texts may repeat values of records.
    public let issues: [OutcomeIssue]
    /// The server's state of a deferred conflict, as JSON; nil otherwise, and if the server has deleted the resource.
    public let remote: String?
    /// The state that both sides of a conflict began with, as JSON; nil if there was none.
    public let base: String?
    /// Whether the change is skipped because resources of its type are sealed and no keyring is set; a sync with the keyring sends it.
    public let isLocked: Bool
}

/// A resource by its type and id.
struct SyncKey: Hashable, Sendable {
    let typeName: String
    let id: String

    var path: String { "\(typeName)/\(id)" }
}

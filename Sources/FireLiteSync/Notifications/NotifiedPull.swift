/// The result of a pull that a notification triggered: see `Synchronizer.pull(notifiedBy:)`.
public struct NotifiedPull: Sendable, Hashable {
    /// How much of the server was read.
    public enum Extent: Sendable, Hashable {
        /// Nothing: the notification says nothing that the store does not know.
        case nothing
        /// The resources that it names.
        case resources
        /// What was changed of whole types, as the notification names nothing, or events before it are missing.
        case types
    }

    /// How much of the server was read.
    public internal(set) var extent: Extent
    /// The result of the pull.
    public internal(set) var result: SyncResult
    /// Whether earlier events were missed. The resources that they were about have been pulled.
    public internal(set) var hasMissedEvents = false
    /// The number of references that were not followed: those to other servers or to types that are not pulled, and invalid ones.
    public internal(set) var ignored = 0
    /// The resources that the notification names and the server does not return.
    public internal(set) var refused: [MissingReference] = []
    /// Whether the server has ended the subscription, or cannot deliver: renew it, or create another.
    public internal(set) var subscriptionHasEnded = false
}

/// What a pull did that a notification has asked for: see `Synchronizer.pull(notifiedBy:)`.
public struct NotifiedPull: Sendable, Hashable {
    /// How much of the server was looked at.
    public enum Extent: Sendable, Hashable {
        /// Nothing: the notification says nothing that the store does not know.
        case nothing
        /// The resources that it names.
        case resources
        /// What was changed of whole types, as the notification names nothing, or events before it are missing.
        case types
    }

    /// How much of the server was looked at.
    public internal(set) var extent: Extent
    /// What was pulled.
    public internal(set) var result: SyncResult
    /// Whether events before the notification have not arrived; what they were about has been pulled.
    public internal(set) var hasMissedEvents = false
    /// The number of references that were not followed: to other servers, to types that are not pulled, or not references at all.
    public internal(set) var ignored = 0
    /// What the notification names and the server refuses to give.
    public internal(set) var refused: [MissingReference] = []
    /// Whether the server has ended the subscription, or cannot deliver: renew it, or create another.
    public internal(set) var subscriptionHasEnded = false
}

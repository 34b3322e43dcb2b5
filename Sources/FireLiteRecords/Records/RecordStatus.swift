/// The status of a record.
public enum RecordStatus: String, Sendable, Hashable, CaseIterable {
    /// It is stored.
    case active
    /// It is stored, and a request about it waits in the store's outbox.
    case pending
    /// It was deleted; only its metadata is left, until it is purged.
    case deleted
}

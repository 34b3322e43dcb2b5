/// What an export wrote.
public struct ExportResult: Sendable, Equatable {
    /// The number of resources written.
    public internal(set) var exported = 0
    /// The number of files written.
    public internal(set) var files = 0
    /// The number of unreadable resources that were skipped.
    public internal(set) var unreadable = 0
    /// The number of resources written without an id. References to them are broken in other stores.
    public internal(set) var withoutID = 0
    /// The number of resources that were given an id.
    public internal(set) var assignedIDs = 0
}

/// Changes that were read from the change log together, and how far they go.
public struct LoggedChanges: RandomAccessCollection, Sendable {
    private let changes: [LoggedChange]
    /// The number of the last log entry that was read, for `ChangeReader.acknowledge(through:)`. Squashing may leave changes out, so it can be
    /// greater than the number of each change.
    public let through: Int64

    init(_ changes: [LoggedChange], through: Int64) {
        self.changes = changes
        self.through = through
    }

    public var startIndex: Int { changes.startIndex }
    public var endIndex: Int { changes.endIndex }
    public subscript(position: Int) -> LoggedChange { changes[position] }
}

/// What came out of a damaged store, and what did not.
public struct RecoveryReport: Sendable {
    /// A resource of the damaged store.
    public typealias Resource = UnreadableResource

    /// How many resources the new store has.
    public internal(set) var recovered = 0
    /// Resources that were there and are not in the new store, by number: some of their rows cannot be read or have changed. None is saved in part.
    public internal(set) var lost: [Resource] = []
    /// Resources that are in the new store although the damage left no digest to compare them with: parts of them may be missing.
    public internal(set) var unverified: [Resource] = []
    /// What else cannot be read: parts of tables, with the numbers of the resources that may have been there.
    public internal(set) var unreadable: [String] = []

    /// Whether everything was recovered, and is known to be what was stored.
    public var isComplete: Bool { lost.isEmpty && unverified.isEmpty && unreadable.isEmpty }
}

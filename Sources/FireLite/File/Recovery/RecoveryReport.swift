/// The result of a recovery: what was recovered and what was not.
public struct RecoveryReport: Sendable {
    /// A resource of the damaged store.
    public typealias Resource = UnreadableResource

    /// The number of resources in the new store.
    public internal(set) var recovered = 0
    /// Resources that are not in the new store, by number: some of their rows cannot be read or have changed. None is saved in part.
    public internal(set) var lost: [Resource] = []
    /// Resources that are in the new store although their digest is lost: parts of them may be missing.
    public internal(set) var unverified: [Resource] = []
    /// Resources that are in the new store although payloads of their attachments are missing or incomplete.
    public internal(set) var lackingPayloads: [Resource] = []
    /// What else cannot be read: parts of tables, with the numbers of resources that may have been in them.
    public internal(set) var unreadable: [String] = []

    /// Whether everything was recovered and verified.
    public var isComplete: Bool { lost.isEmpty && unverified.isEmpty && lackingPayloads.isEmpty && unreadable.isEmpty }
}

/// Who acts, and for what purpose.
public struct AuditParty: Sendable, Hashable {
    /// The actor, as a reference such as `Practitioner/7`, the id of a key, or a name that the app understands.
    public var actor: String
    /// The purpose, a code of `v3-ActReason` such as `TREAT`; nil if none is known.
    public var purpose: String?

    /// A party.
    ///
    /// - Parameters:
    ///   - actor: the actor.
    ///   - purpose: the purpose. Default: none.
    public init(_ actor: String, purpose: String? = nil) {
        self.actor = actor
        self.purpose = purpose
    }
}

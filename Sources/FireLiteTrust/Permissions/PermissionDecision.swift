/// Whether a request is permitted, and what that rests on.
public struct PermissionDecision: Sendable, Hashable {
    /// Whether the request is permitted.
    public let isPermitted: Bool
    /// The id of the Consent that decides; nil if none covers the request, which denies it.
    public let consentID: String?
    /// The place of the rule in the Consent: 0 for the outermost provision, and then the numbers of the exceptions.
    public let provision: [Int]
}

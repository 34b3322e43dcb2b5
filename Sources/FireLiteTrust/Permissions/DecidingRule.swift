/// The rule of a Consent that decides about a resource.
struct DecidingRule {
    let consentID: String
    let kind: AccessPermission.Kind
    /// The place of the rule in the Consent.
    let provision: [Int]
    let specificity: Int

    /// Whether the rule is the one to name: a denial, and of rules that decide alike the most specific.
    func isBetter(than other: DecidingRule) -> Bool {
        guard kind == other.kind else { return kind == .deny }
        return (provision.count, specificity) > (other.provision.count, other.specificity)
    }
}

import Foundation

/// A permit or denial by a grantor: a rule with a period and a scope, which the store keeps as a signed Consent.
///
/// An empty property does not narrow the rule: no types means all types.
public struct AccessPermission: Sendable, Hashable {
    /// Whether a rule permits or denies.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It permits.
        case permit
        /// It denies, and overrides permits.
        case deny
    }

    /// The id of the Consent.
    public let id: String
    /// The identity that gives the permission.
    public var grantor: String
    /// The other grantors of a Consent with several. Its permits count once all of them have signed.
    public internal(set) var otherGrantors: [String] = []
    /// The patient whose records it covers, such as `Patient/1`: the rule is limited to the patient's compartment. Nil if it names none.
    public var patient: String?
    /// The rule.
    public var rule: AccessRule

    /// Creates a permission.
    ///
    /// - Parameters:
    ///   - id: the id of the Consent; nil for a new UUID.
    ///   - grantor: the identity that gives the permission.
    ///   - patient: the patient whose records it is about, such as `Patient/1`.
    ///   - rule: what is permitted or denied.
    public init(id: String? = nil, grantor: String, patient: String? = nil, rule: AccessRule) {
        self.id = id ?? UUID().uuidString.lowercased()
        self.grantor = grantor
        self.patient = patient
        self.rule = rule
    }
}

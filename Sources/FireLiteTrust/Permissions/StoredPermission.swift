/// A stored permission: a Consent, and whether it is in force.
public struct StoredPermission: Sendable, Hashable {
    /// Whether a permission is in force, or why not.
    public enum Standing: String, Sendable, Hashable, CaseIterable {
        /// It is active, signed by its grantor, and the grantor has authority.
        case valid
        /// It was revoked, or is not active for another reason.
        case inactive
        /// Only the Consent's denials count: one of several grantors has not signed, has no authority, or cannot be read; or the Consent
        /// was changed, has lost its signature or was deleted after a grantor with authority had signed it.
        case denialsOnly
        /// Its grantor has signed a newer one, which an older copy has replaced.
        case outdated
        /// The signature is missing, or does not match.
        case unsigned
        /// The grantor has no authority.
        case noAuthority
    }

    /// The permission.
    public let permission: AccessPermission
    /// Whether it is in force, or why not.
    public let standing: Standing
    /// The authority of each signer: permits cover resources within all of them, denials those within one of them.
    let authorities: [Identity.Authority]

    init(
        _ content: ConsentCoding.Content, grantors: [String], standing: Standing, authorities: [Identity.Authority]
    ) {
        var permission = AccessPermission(id: content.id, grantor: grantors.first ?? "", patient: content.patient, rule: content.rule)
        permission.otherGrantors = grantors.dropFirst().filter { $0 != grantors.first }
        self.permission = permission
        self.standing = standing
        self.authorities = authorities
    }
}

/// A permission as it is stored: a Consent, and whether it counts.
public struct StoredPermission: Sendable, Hashable {
    /// Why a permission counts, or does not.
    public enum Standing: String, Sendable, Hashable, CaseIterable {
        /// It is active, signed by its grantor, and the grantor has authority.
        case valid
        /// It was revoked, or is not active for another reason.
        case inactive
        /// What the Consent permits does not count, what it denies does: one of several grantors has not signed, has no authority, or cannot be read;
        /// or the Consent was changed, has lost its signature or was deleted after a grantor with authority had signed it.
        case denialsOnly
        /// Its grantor has signed a newer one since: an older copy has taken its place.
        case outdated
        /// The signature is missing, or does not fit.
        case unsigned
        /// The grantor's permissions do not count.
        case noAuthority
    }

    /// The permission.
    public let permission: AccessPermission
    /// Whether it counts.
    public let standing: Standing
    /// What the permissions of those count for who have signed, of each: permits cover what is in all of them, denials what is in one of them.
    let authorities: [Identity.Authority]

    init(
        _ content: ConsentCoding.Content, _ grantors: [String], _ standing: Standing, _ authorities: [Identity.Authority]
    ) {
        var permission = AccessPermission(id: content.id, grantor: grantors.first ?? "", patient: content.patient, rule: content.rule)
        permission.otherGrantors = grantors.dropFirst().filter { $0 != grantors.first }
        self.permission = permission
        self.standing = standing
        self.authorities = authorities
    }
}

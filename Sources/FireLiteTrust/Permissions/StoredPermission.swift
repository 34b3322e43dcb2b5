/// A permission as it is stored: a Consent, and whether it counts.
public struct StoredPermission: Sendable, Hashable {
    /// Why a permission counts, or does not.
    public enum Standing: String, Sendable, Hashable, CaseIterable {
        /// It is active, signed by its grantor, and the grantor has authority.
        case valid
        /// It was revoked, or is not active for another reason.
        case inactive
        /// The signature is missing, or does not fit.
        case unsigned
        /// The grantor's permissions do not count.
        case noAuthority
    }

    /// The permission.
    public let permission: AccessPermission
    /// Whether it counts.
    public let standing: Standing
    /// What the grantor's permissions count for.
    let authority: Identity.Authority
}

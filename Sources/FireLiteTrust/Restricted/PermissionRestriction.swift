import FireLite
import Foundation

/// Hides from a view what the permissions do not let its actor see.
final class PermissionRestriction: QueryRestriction {
    private let actor: String
    private let purpose: String?
    private let now: @Sendable () -> Date
    /// The permissions of the snapshot that is read; nil to read them for each statement.
    private let known: (permissions: [StoredPermission], moment: Date)?

    init(actor: String, purpose: String?, now: @escaping @Sendable () -> Date) {
        (self.actor, self.purpose, self.now) = (actor, purpose, now)
        known = nil
    }

    private init(_ other: PermissionRestriction, _ permissions: [StoredPermission]) {
        (actor, purpose, now) = (other.actor, other.purpose, other.now)
        known = (permissions, other.now())
    }

    /// The same for one snapshot, whose permissions are read once.
    func resolved(in transaction: ReadTransaction) throws -> PermissionRestriction {
        PermissionRestriction(self, try transaction.permissions())
    }

    func condition(on layout: Layout, in transaction: ReadTransaction) throws -> Predicate {
        let request = PermissionRequest(actor: actor, purpose: purpose, at: known?.moment ?? now())
        return try RuleConditions(transaction, known?.permissions ?? transaction.permissions(), request).condition(on: layout)
    }
}

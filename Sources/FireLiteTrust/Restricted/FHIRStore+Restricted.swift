import FireLite
import Foundation

extension FHIRStore {
    /// The store as an actor may see it: what the permissions do not permit is not there.
    ///
    /// ```swift
    /// let view = store.restricted(to: practice, purpose: "TREAT")
    /// let count = try view.query(Observation.self).count()
    /// ```
    /// - Parameters:
    ///   - actor: the identity that reads.
    ///   - purpose: the code of its purpose, such as `TREAT`; nil for none.
    ///   - now: the time at which permissions must hold, asked for at each read.
    public func restricted(to actor: String, purpose: String? = nil, now: @escaping @Sendable () -> Date = FHIRClock.system.now) -> RestrictedStore {
        keepPermissions()
        return RestrictedStore(store: self, restriction: PermissionRestriction(actor: actor, purpose: purpose, now: now))
    }
}

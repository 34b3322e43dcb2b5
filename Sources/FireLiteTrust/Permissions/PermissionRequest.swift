import Foundation

/// A request for access, without the resource.
public struct PermissionRequest: Sendable, Hashable {
    /// The identity that asks.
    public var actor: String
    /// The action.
    public var action: PermissionAction
    /// The code of the purpose; nil if it is not said. Only permits without purposes then count, and denials for any purpose.
    public var purpose: String?
    /// The time of the request.
    public var moment: Date

    /// Creates a request.
    public init(actor: String, action: PermissionAction = .access, purpose: String? = nil, at moment: Date = FHIRClock.system.now()) {
        self.actor = actor
        self.action = action
        self.purpose = purpose
        self.moment = moment
    }
}

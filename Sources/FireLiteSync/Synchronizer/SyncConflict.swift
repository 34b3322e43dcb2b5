import FireLiteCore

/// A resource that was changed both in the store and on the server. A ``ConflictPolicy`` decides about it.
public struct SyncConflict {
    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// The state that both sides began with; nil if there was none.
    public let base: FHIRResource?
    /// The store's state; nil if it was deleted.
    public let local: FHIRResource?
    /// The server's state; nil if it was deleted.
    public let remote: FHIRResource?
    /// The server's version; nil if the server does not say.
    public let remoteVersion: String?

    /// The decision about a conflict.
    public enum Resolution {
        /// The store's state, which is sent based on the server's version.
        case local
        /// The server's state, which replaces the store's.
        case remote
        /// Another state, which is stored, and sent based on the server's version.
        case merged(FHIRResource)
        /// Nothing is decided: the store keeps its state, which is not sent, and the conflict is listed.
        case deferred
    }

    /// The elements that both sides have changed in different ways: `name[0].family`. Empty if one side deleted the resource.
    public var paths: [String] {
        guard let local, let remote else { return [] }
        return ThreeWayMerge(base: base, local: local, remote: remote).conflicts
    }
}

/// How conflicts are resolved.
public struct ConflictPolicy: Sendable {
    let resolve: @Sendable (SyncConflict) throws -> SyncConflict.Resolution

    /// A policy of the app's own.
    ///
    /// - Parameter resolve: decides about a conflict. It is called in a write of the store, so it must not use the store. An error ends the sync.
    public init(_ resolve: @escaping @Sendable (SyncConflict) throws -> SyncConflict.Resolution) { self.resolve = resolve }

    /// The store's state wins.
    public static let client = ConflictPolicy { _ in .local }
    /// The server's state wins.
    public static let server = ConflictPolicy { _ in .remote }
    /// Nothing is decided; the app lists the conflicts and resolves them later.
    public static let deferred = ConflictPolicy { _ in .deferred }

    /// Disjoint changes are merged (``/FireLite/ThreeWayMerge``).
    ///
    /// - Parameter otherwise: decides if both sides have changed the same element, or one has deleted the resource.
    public static func merge(otherwise: ConflictPolicy = .deferred) -> ConflictPolicy {
        ConflictPolicy { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return try otherwise.resolve(conflict) }
            let merge = ThreeWayMerge(base: conflict.base, local: local, remote: remote)
            return merge.conflicts.isEmpty ? .merged(merge.resource) : try otherwise.resolve(conflict)
        }
    }

    /// Disjoint changes are merged; an element that both changed gets the value of one side, and a resource that one side deleted and the
    /// other changed stays.
    ///
    /// - Parameter side: the side whose elements are preferred.
    public static func merge(preferring side: ThreeWayMerge.Side) -> ConflictPolicy {
        ConflictPolicy { conflict in
            guard let local = conflict.local else { return .remote }
            guard let remote = conflict.remote else { return .local }
            return .merged(ThreeWayMerge(base: conflict.base, local: local, remote: remote, preferring: side).resource)
        }
    }
}

import FireLiteCore

/// What a store keeps of earlier states of its resources. Both are off by default: see `FHIRStore.track(_:)`.
public enum StoreTracking: String, Sendable, CaseIterable {
    /// A log of local changes with the content before each: for synchronising with a server.
    case changes
    /// All versions of resources, whoever changed them.
    case history

    /// Its key in `_meta`.
    var key: String { "track." + rawValue }
}

/// Where the changes of a write come from.
public enum WriteOrigin: Int64, Sendable {
    /// The user, the app, the device: the change log lists them.
    case local = 0
    /// A server: the change log does not list them, as the server knows them.
    case server = 1
}

/// The types that are tracked.
public enum TrackedTypes: Sendable, Hashable {
    /// Every type.
    case all
    /// The types with these names; none if it is empty.
    case only(Set<String>)

    /// Whether resources of a type are tracked.
    public func contains(_ typeName: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(typeName)
        }
    }

    /// Whether nothing is tracked.
    public var isEmpty: Bool { self == .only([]) }

    /// The form in `_meta`: `*`, or names separated by blanks.
    init(stored: String?) {
        self = stored == "*" ? .all : .only(Set((stored ?? "").split(separator: " ").map(String.init)))
    }

    var stored: String {
        switch self {
        case .all: "*"
        case .only(let names): names.sorted().joined(separator: " ")
        }
    }
}

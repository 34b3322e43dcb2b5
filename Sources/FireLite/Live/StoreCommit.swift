import FireLiteCore

/// The changes of one commit, as `FHIRStore.changes()` reports them.
public struct StoreCommit: Sendable {
    /// The changed resources in the order in which they were first changed. Empty if they are not known: see `isComplete`.
    public let resources: [ResourceChange]
    /// The types with changes; nil if any type may have changed.
    public let typeNames: Set<String>?
    /// Whether `resources` lists every change. False if there were too many, if they were missed, and for commits of other connections
    /// and processes: then read again what depends on `typeNames`.
    public let isComplete: Bool

    /// Everything may have changed.
    static let unknown = StoreCommit(resources: [], typeNames: nil, isComplete: false)

    /// Whether resources of a type changed, or may have changed.
    public func mayHaveChanged<Resource: FHIRResource>(_ type: Resource.Type) -> Bool {
        typeNames?.contains(type._layout.name) ?? true
    }

    /// The two commits as one, without their details.
    func merged(with later: StoreCommit) -> StoreCommit {
        var names = typeNames
        if let other = later.typeNames { names?.formUnion(other) } else { names = nil }
        return StoreCommit(resources: [], typeNames: names, isComplete: false)
    }
}

import FireLiteCore
import Observation

/// One resource for a user interface: an object of the main actor that follows the store by itself.
///
/// ```swift
/// let patient = LiveResource(Patient.self, id: "123", in: store)
/// // In a view: Text(patient.resource?.name.first?.family ?? "–")
/// ```
/// The object in `resource` stays the same while the resource exists and is brought up to date in place, so it can be changed in a write at
/// any time. It stops when it is released.
@MainActor @Observable
public final class LiveResource<Resource: FHIRResource> {
    /// The resource; nil while the store has none with the id.
    public var resource: Resource? {
        access(keyPath: \.resource)
        return current
    }
    /// Whether the resource has not been read yet.
    public private(set) var isLoading = true
    /// Why the resource is no longer followed; nil while it is.
    public private(set) var error: (any Error)?

    // The macro's own property would not report a change of the same object.
    @ObservationIgnored private var current: Resource?
    @ObservationIgnored private var following: Following?

    /// Begins to follow the resource with this type and id.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: the resource's id.
    ///   - store: the store that has it.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    public init(_ type: Resource.Type, id: String, in store: FHIRStore, every interval: Duration = UpdateInterval.standard) {
        let updates = store.updates(of: type, id: id, every: interval).makeAsyncIterator()
        following = Following(
            signal: updates.signal,
            task: Task { [weak self] in
                var updates = updates
                await Following.follow(for: { self }) { try await updates.next(isolation: MainActor.shared) }
            })
    }
}

extension LiveResource: Follower {
    func show(_ newest: Resource?) {
        withMutation(keyPath: \.resource) {
            if let current, let newest, let tie = current.objectExtras as? StoreTie, let newer = newest.objectExtras as? StoreTie,
                tie.root == newer.root
            {
                // A write may have changed the object itself.
                if tie.revision < newer.revision { current.refresh(tie, newest) }
            } else {
                current = newest
            }
        }
        isLoading = false
    }

    func end(with error: any Error) {
        self.error = error
        isLoading = false
    }
}

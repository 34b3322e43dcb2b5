/// The decision about an object.
public enum SampleDecision: Sendable, Hashable {
    /// It is done.
    case proceed
    /// This one is not done now or later; everything else is.
    case skip
    /// The run ends. The anchor stays where it was, so that the next run comes back to this one.
    case stop
}

/// Is asked before each step of an engine and notified after it. Every function has a default that permits everything.
public protocol SampleDelegate: Sendable {
    /// Whether a type is sent to a store now. `skip` leaves it for the next run.
    func shouldRun(_ type: SampleType, at store: any ExternalStore) async -> SampleDecision
    /// Whether the store is asked for a sample that may be there. After `skip` it is neither fetched nor sent.
    func shouldFetch(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision
    /// The store was asked; the location is nil if it does not have the sample.
    func fetchComplete(_ object: ExternalObject, at store: any ExternalStore) async
    /// Whether a sample is added.
    func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision
    /// A sample was added.
    func addComplete(_ object: ExternalObject, at store: any ExternalStore) async
    /// Whether a sample is updated.
    func shouldUpdate(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision
    /// A sample was updated.
    func updateComplete(_ object: ExternalObject, at store: any ExternalStore) async
    /// Whether a sample is deleted.
    func shouldDelete(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision
    /// A sample was deleted.
    func deleteComplete(_ object: ExternalObject, at store: any ExternalStore) async
}

extension SampleDelegate {
    /// Proceeds.
    public func shouldRun(_ type: SampleType, at store: any ExternalStore) async -> SampleDecision { .proceed }
    /// Proceeds.
    public func shouldFetch(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision { .proceed }
    /// Does nothing.
    public func fetchComplete(_ object: ExternalObject, at store: any ExternalStore) async {}
    /// Proceeds.
    public func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision { .proceed }
    /// Does nothing.
    public func addComplete(_ object: ExternalObject, at store: any ExternalStore) async {}
    /// Proceeds.
    public func shouldUpdate(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision { .proceed }
    /// Does nothing.
    public func updateComplete(_ object: ExternalObject, at store: any ExternalStore) async {}
    /// Proceeds.
    public func shouldDelete(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision { .proceed }
    /// Does nothing.
    public func deleteComplete(_ object: ExternalObject, at store: any ExternalStore) async {}
}

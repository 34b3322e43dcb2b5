import FireLiteCore
import Observation

/// A query's results for a user interface: an object of the main actor that follows the store by itself.
///
/// ```swift
/// let patients = LiveQuery(store.query(Patient.self).sort { $0.birthDate.ascending }, pageSize: 50)
/// // In a view: ForEach(patients.results) { … }, and patients.loadMore() at the end of the list.
/// ```
/// Its properties are observed with Swift's Observation framework, so SwiftUI views that read them are drawn again. It stops when it is
/// released, and keeps its last results when the store is closed.
///
/// The query can be set, as by a search field or a sort button. The results stay until those of the new query are there, and ``changes`` is the
/// difference between both.
@MainActor @Observable
public final class LiveQuery<Resource: FHIRResource> {
    /// The results. A result that has not changed keeps its object.
    public var results: [Resource] {
        access(keyPath: \.results)
        return current
    }
    /// How the results differ from the ones before; nil for the first ones.
    public private(set) var changes: ResultChanges?
    /// Whether results are awaited: at first, and after `loadMore()`.
    public private(set) var isLoading = true
    /// Why the results are no longer followed; nil while they are.
    public private(set) var error: (any Error)?
    /// Whether there may be more results than are loaded.
    public private(set) var hasMore = false

    // The macro's own property would compare the old results with the new ones, and not report a change of the same objects.
    @ObservationIgnored private var current: [Resource] = []
    @ObservationIgnored private var limit: Int?
    @ObservationIgnored private let pageSize: Int?
    @ObservationIgnored private let interval: Duration
    @ObservationIgnored private var following: Following?
    /// A query that the observer has not taken over yet.
    @ObservationIgnored private var replacement: FHIRQuery<Resource>?
    @ObservationIgnored private var followed: FHIRQuery<Resource>

    /// Begins to follow a query.
    ///
    /// - Parameters:
    ///   - query: the query to follow.
    ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all that the query has.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    public init(_ query: FHIRQuery<Resource>, pageSize: Int? = nil, every interval: Duration = UpdateInterval.standard) {
        misuse(unless: pageSize ?? 1 > 0, "the size of a page is 1 or more")
        self.pageSize = pageSize
        self.interval = interval
        limit = pageSize
        followed = query
        follow()
    }

    private func follow() {
        let observer = QueryObserver(pageSize.map(followed.limit) ?? followed, every: interval, wantsPaths: true)
        following = Following(
            signal: observer.signal,
            task: Task { [weak self] in
                var observer = observer
                await Following.follow(for: { self }) {
                    try await observer.nextStep(
                        isolation: MainActor.shared, limit: { self?.limit }, replacement: { self?.takeReplacement() })
                }
            })
    }

    /// The query that is followed. Set it to follow another one: the results are replaced when those of the new query have been read, and a page
    /// size applies to them from the beginning. If following has ended with an error, it begins again.
    public var query: FHIRQuery<Resource> {
        get {
            access(keyPath: \.query)
            return followed
        }
        set {
            let isOfSameStore = newValue.store === followed.store
            withMutation(keyPath: \.query) { followed = newValue }
            limit = pageSize
            isLoading = true
            guard isOfSameStore, error == nil, let following else {
                error = nil
                replacement = nil
                withMutation(keyPath: \.results) { current = isOfSameStore ? current : [] }
                return follow()
            }
            replacement = newValue
            following.signal.raise()
        }
    }

    private func takeReplacement() -> FHIRQuery<Resource>? {
        defer { replacement = nil }
        return replacement.map { query in pageSize.map(query.limit) ?? query }
    }

    /// Loads the next page. Does nothing without a page size, and if there is no more.
    public func loadMore() {
        guard hasMore, let pageSize, let limit else { return }
        self.limit = limit + pageSize
        isLoading = true
        following?.signal.raise()
    }
}

extension LiveQuery: Follower {
    func show(_ step: ResultStep<Resource>) {
        withMutation(keyPath: \.results) { step.apply(to: &current) }
        changes = step.changes
        hasMore = limit.map { current.count >= $0 } ?? false
        // The results may be those before a query that was set meanwhile.
        isLoading = replacement != nil
    }

    func end(with error: any Error) {
        self.error = error
        isLoading = false
    }
}

import FireLiteCore
import Observation

/// A section of a query's results.
public struct ResultSection<Key: Hashable & Sendable, Resource: FHIRResource>: Identifiable {
    /// The key that its results have in common.
    public let id: Key
    /// The results, in the query's order.
    public let results: [Resource]
}

/// A query's results in sections for a user interface: an object of the main actor that follows the store by itself.
///
/// ```swift
/// let visits = LiveSections(store.query(Encounter.self).sort(\.period.start, .reverse)) { DateSection(.month, of: $0.period?.start) }
/// ForEach(visits.sections) { section in Section(section.id.description) { ForEach(section.results) { Text($0.id ?? "") } } }
/// ```
/// The order of the query's results determines the order of the sections.
@MainActor @Observable
public final class LiveSections<Key: Hashable & Sendable, Resource: FHIRResource> {
    /// The live results; set its query to follow another one.
    public let live: LiveQuery<Resource>
    @ObservationIgnored private let key: (Resource) -> Key
    @ObservationIgnored private var shown = SectionedSnapshot<Key, String>()

    /// Begins to follow a query.
    ///
    /// - Parameters:
    ///   - query: the query to follow.
    ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - key: the key of a result's section.
    public init(
        _ query: FHIRQuery<Resource>, pageSize: Int? = nil, every interval: Duration = UpdateInterval.standard,
        by key: @escaping (Resource) -> Key
    ) {
        live = LiveQuery(query, pageSize: pageSize, every: interval)
        self.key = key
    }

    /// The sections, each with at least one result.
    public var sections: [ResultSection<Key, Resource>] {
        var order: [Key] = []
        var results: [Key: [Resource]] = [:]
        for resource in live.results {
            let key = key(resource)
            if results[key] == nil { order.append(key) }
            results[key, default: []].append(resource)
        }
        return order.map { ResultSection(id: $0, results: results[$0] ?? []) }
    }

    /// The identities of the sections and of the results, which are their pks.
    public var snapshot: SectionedSnapshot<Key, String> { SectionedSnapshot(live.results, section: key, item: \.pk) }

    /// The batch updates since the last call, for tables and collections that must apply every one.
    public func takeChanges() -> SectionChanges {
        let now = snapshot
        defer { shown = now }
        return now.changes(from: shown)
    }

    /// Loads the next page.
    public func loadMore() { live.loadMore() }
}

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
/// let visits = LiveSections(
///     store.query(Encounter.self).sort(\.period.start, .reverse), pageSize: 50, by: .month, of: \.period.start)
/// ForEach(visits.sections) { section in Section(section.id.description) { ForEach(section.results) { Text($0.id ?? "") } } }
/// ```
/// The order of the query's results determines the order of the sections. With a page size, ``sections`` has the loaded results only, and
/// ``counts`` the sections of all of them. Sections by a path or a date are counted by SQLite; those by a block of yours have no counts, as the block
/// needs the resources.
@MainActor @Observable
public final class LiveSections<Key: Hashable & Sendable, Resource: FHIRResource> {
    /// The live results; set its query to follow another one.
    public let live: LiveQuery<Resource>

    private var counted: LiveValue<[SectionCount<Key>]>?
    @ObservationIgnored private let key: (Resource) -> Key
    @ObservationIgnored private let count: (@Sendable (FHIRQuery<Resource>) throws -> [SectionCount<Key>])?
    @ObservationIgnored private let interval: Duration
    @ObservationIgnored private var countedStore: FHIRStore?
    @ObservationIgnored private var shown = SectionedSnapshot<Key, String>()

    private init(
        following query: FHIRQuery<Resource>, pageSize: Int?, interval: Duration, key: @escaping (Resource) -> Key,
        count: (@Sendable (FHIRQuery<Resource>) throws -> [SectionCount<Key>])?
    ) {
        live = LiveQuery(query, pageSize: pageSize, every: interval)
        self.key = key
        self.count = count
        self.interval = interval
        followCounts()
    }

    /// Begins to follow a query, in sections by the years, months or days of a date.
    ///
    /// - Parameters:
    ///   - query: the query to follow.
    ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - unit: the length of a section.
    ///   - path: a date or time; through lists, the first in the resource.
    public convenience init<Path: QueryValuePath>(
        _ query: FHIRQuery<Resource>, pageSize: Int? = nil, every interval: Duration = UpdateInterval.standard, by unit: DateSection.Unit,
        of path: KeyPath<ElementPath<Resource>, Path>
    ) where Key == DateSection, Path.Value: FHIRTemporal {
        let section = SectionPath(path, unit.stored)
        self.init(
            following: query, pageSize: pageSize, interval: interval, key: { DateSection(section.key(of: $0)) },
            count: { try $0.dateSections(section) })
    }

    /// Begins to follow a query, in sections by the value of an element.
    ///
    /// - Parameters:
    ///   - query: the query to follow.
    ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - path: a primitive element; through lists, its first value in the resource. Results without one are in the section nil.
    public convenience init<Path: QueryValuePath>(
        _ query: FHIRQuery<Resource>, pageSize: Int? = nil, every interval: Duration = UpdateInterval.standard,
        by path: KeyPath<ElementPath<Resource>, Path>
    ) where Key == Path.Value?, Path.Value: Hashable & Sendable {
        let section = SectionPath(path)
        self.init(
            following: query, pageSize: pageSize, interval: interval, key: { section.key(of: $0).value(as: Path.Value.self) },
            count: { try $0.valueSections(section) })
    }

    /// Begins to follow a query, in sections by what a block says of each result.
    ///
    /// - Parameters:
    ///   - query: the query to follow.
    ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - key: the key of a result's section.
    public convenience init(
        _ query: FHIRQuery<Resource>, pageSize: Int? = nil, every interval: Duration = UpdateInterval.standard,
        by key: @escaping (Resource) -> Key
    ) {
        self.init(following: query, pageSize: pageSize, interval: interval, key: key, count: nil)
    }

    // MARK: - Sections

    /// The sections of the loaded results, each with at least one.
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

    /// The sections of all results with their sizes, whether or not they are loaded; nil until they have been counted, and for sections by a block.
    ///
    /// They are read apart from the results, so after a change one of the two may be a moment ahead.
    public var counts: [SectionCount<Key>]? { counted?.value }

    /// The pks of the loaded results in their sections.
    public var snapshot: SectionedSnapshot<Key, String> { SectionedSnapshot(live.results, section: key, item: \.pk) }

    /// The batch updates since the last call, for tables and collections that must apply every one. The first call inserts all sections.
    public func takeChanges() -> SectionChanges {
        let now = snapshot
        defer { shown = now }
        return now.changes(from: shown)
    }

    /// Loads the next page.
    public func loadMore() { live.loadMore() }

    // MARK: - Counts

    /// Counts the results of the current query, and again those of each query that replaces it.
    private func followCounts() {
        guard let count else { return }
        let query = withObservationTracking {
            live.query
        } onChange: { [weak self] in
            // Reported before the query changes, so the next turn of the main actor sees the new one.
            Task { @MainActor [weak self] in self?.followCounts() }
        }
        let read: @Sendable (ReadTransaction) throws -> [SectionCount<Key>] = { _ in try count(query) }
        if let counted, query.store === countedStore { return counted.follow(read) }
        countedStore = query.store
        counted = LiveValue(in: query.store, every: interval, read)
    }
}

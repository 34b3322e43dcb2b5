import FireLiteCore
import Observation

// What the property wrappers keep between the updates of a view. SwiftUI makes a view, and with it its properties, as often as the parent is drawn, and
// keeps the followers that it was first made with; so each update passes what the view was made with last.

/// The loading state of what a view follows.
public enum FHIRLoadingState {
    /// It has not been read yet, or the view has no store.
    case loading
    /// It has been read, and there is nothing.
    case empty
    /// It is there.
    case loaded
    /// It could not be read, and is no longer followed.
    case failed(any Error)
}

// MARK: - Results

/// The query that a view was made with. Another object means that the view was made again, perhaps with another query.
@MainActor
final class GivenQuery<Resource: FHIRResource> {
    let query: (FHIRQuery<Resource>) -> FHIRQuery<Resource>

    init(_ query: @escaping (FHIRQuery<Resource>) -> FHIRQuery<Resource>) { self.query = query }
}

/// The projected value of `FHIRResults`: `$patients` for a property `patients`.
@MainActor @Observable
public final class ResultsFollower<Resource: FHIRResource> {
    /// The live results with their changes, before an animation shows them; nil until the view has a store.
    public private(set) var live: LiveQuery<Resource>?
    /// The results as the view shows them; nil until it has a store.
    public private(set) var shown: ShownResults<Resource>?
    /// The conditions and the order. Set them to follow another query.
    public var query: (FHIRQuery<Resource>) -> FHIRQuery<Resource> {
        didSet { if let store, let live { live.query = query(store.query(Resource.self)) } }
    }
    @ObservationIgnored private let pageSize: Int?
    @ObservationIgnored private let present: ShownResults<Resource>.Presentation
    @ObservationIgnored private var store: FHIRStore?
    @ObservationIgnored private var given: GivenQuery<Resource>
    /// What the given query asks for; nil until there is a store.
    @ObservationIgnored private var request: QueryRequest?

    init(_ given: GivenQuery<Resource>, pageSize: Int?, present: @escaping ShownResults<Resource>.Presentation = { _, show in show() }) {
        self.given = given
        query = given.query
        self.pageSize = pageSize
        self.present = present
    }

    /// Follows a store, and the query of a view that was made again with another one.
    func follow(_ environment: FHIRStore?, _ given: GivenQuery<Resource>) {
        // Queries are compared only then: one with the current time is another one each time, and would let the view update for ever.
        let isAgain = given !== self.given
        self.given = given
        guard let store = environment ?? store else {
            if isAgain { query = given.query }
            return
        }
        let isOtherStore = store !== self.store
        guard isAgain || isOtherStore else { return }
        let request = given.query(store.query(Resource.self)).request
        let isOther = isAgain && self.request?.asksTheSame(as: request) != true
        self.request = request
        if isOtherStore { live = nil }
        self.store = store
        if isOther { query = given.query }
        if isOtherStore { begin(store) }
    }

    private func begin(_ store: FHIRStore) {
        let live = LiveQuery(query(store.query(Resource.self)), pageSize: pageSize)
        self.live = live
        shown = ShownResults(live, present: present)
    }

    /// The loading state of the results.
    public var state: FHIRLoadingState {
        guard let live else { return .loading }
        if let error = live.error { return .failed(error) }
        if shown?.results.isEmpty == false { return .loaded }
        // What has been read and is not shown yet is still loading for the view.
        return live.isLoading || !live.results.isEmpty ? .loading : .empty
    }

    /// Loads the next page.
    public func loadMore() { live?.loadMore() }
}

// MARK: - One resource

/// The projected value of `FHIRRecord`: `$patient` for a property `patient`.
@MainActor @Observable
public final class RecordFollower<Resource: FHIRResource> {
    /// The live resource, before an animation shows its changes; nil until the view has a store.
    public private(set) var live: LiveResource<Resource>?
    /// The resource as the view shows it; nil until it has been read, and if there is none.
    public var resource: Resource? { shown?.value }
    private var shown: ShownValue<Resource>?
    /// The id. Set it to follow another resource; there is none until it has been read.
    public var id: String {
        didSet { if id != oldValue { begin() } }
    }
    @ObservationIgnored private let present: ShownValue<Resource>.Presentation
    @ObservationIgnored private var given: String
    @ObservationIgnored private var store: FHIRStore?

    init(id: String, present: @escaping ShownValue<Resource>.Presentation = { _, show in show() }) {
        self.id = id
        self.present = present
        given = id
    }

    /// Follows a store, and the id of a view that was made again with another one.
    func follow(_ environment: FHIRStore?, id given: String) {
        let isOther = given != self.given && given != id
        self.given = given
        let store = environment ?? store
        let isOtherStore = store !== self.store
        self.store = store
        if isOther { id = given } else if isOtherStore { begin() }
    }

    private func begin() {
        let live = store.map { LiveResource(Resource.self, id: id, in: $0) }
        self.live = live
        shown = live.map { live in ShownValue({ live.resource }, present: present) }
    }

    /// The loading state of the resource.
    public var state: FHIRLoadingState {
        guard let live else { return .loading }
        if let error = live.error { return .failed(error) }
        if resource != nil { return .loaded }
        // What has been read and is not shown yet is still loading for the view.
        return live.isLoading || live.resource != nil ? .loading : .empty
    }
}

// MARK: - Counts and aggregates

/// The projected value of `FHIRValue`: `$count` for a property `count`.
@MainActor @Observable
public final class ValueFollower<Value: Sendable> {
    /// The live value, before an animation shows its changes; nil until the view has a store.
    public private(set) var live: LiveValue<Value>?
    /// The value as the view shows it; nil until it has been read.
    public var value: Value? { shown?.value }
    private var shown: ShownValue<Value>?
    @ObservationIgnored private let present: ShownValue<Value>.Presentation
    @ObservationIgnored private var read: @Sendable (ReadTransaction) throws -> Value
    @ObservationIgnored private var given: AnyHashable?
    @ObservationIgnored private var store: FHIRStore?

    init(
        id: AnyHashable?, present: @escaping ShownValue<Value>.Presentation = { _, show in show() },
        _ read: @escaping @Sendable (ReadTransaction) throws -> Value
    ) {
        given = id
        self.present = present
        self.read = read
    }

    /// Follows a store, and the block of a view that was made again with another identity.
    func follow(_ environment: FHIRStore?, id given: AnyHashable?, _ read: @escaping @Sendable (ReadTransaction) throws -> Value) {
        let isOther = given != self.given
        self.given = given
        if isOther { self.read = read }
        let store = environment ?? store
        let isOtherStore = store !== self.store
        self.store = store
        guard let store, isOther || isOtherStore else { return }
        let live = LiveValue(in: store, self.read)
        self.live = live
        shown = ShownValue({ live.value }, present: present)
    }

    /// Follows another value from now on. The last value stays until the new one has been read.
    public func follow(_ read: @escaping @Sendable (ReadTransaction) throws -> Value) {
        self.read = read
        live?.follow(read)
    }

    /// The loading state of the value, which is never `empty`.
    public var state: FHIRLoadingState {
        guard let live else { return .loading }
        if let error = live.error { return .failed(error) }
        return shown?.value == nil ? .loading : .loaded
    }
}

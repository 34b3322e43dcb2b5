#if canImport(SwiftUI)
    import SwiftUI

    // Thin over `LiveQuery`, `LiveResource` and `FormModel`, which are tested on every system.

    // MARK: - Environment

    private struct FHIRStoreKey: EnvironmentKey {
        static let defaultValue: FHIRStore? = nil
    }

    extension EnvironmentValues {
        /// The store that `FHIRResults` and its siblings in this view and below follow.
        public var fhirStore: FHIRStore? {
            get { self[FHIRStoreKey.self] }
            set { self[FHIRStoreKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the store that `FHIRResults` and its siblings in this view and below follow.
        public func fhirStore(_ store: FHIRStore?) -> some View { environment(\.fhirStore, store) }
    }

    /// Whether what a view follows is there.
    public enum FHIRLoadingState {
        /// It is being read for the first time.
        case loading
        /// It was read, and there is nothing.
        case empty
        /// It is there.
        case loaded
        /// It could not be read, and is no longer followed.
        case failed(any Error)
    }

    // MARK: - Results

    /// The live results of a query, in a view below `fhirStore(_:)`.
    ///
    /// ```swift
    /// @FHIRResults(Patient.self, { $0.where { $0.active }.sort(\.birthDate) }) private var patients
    /// ```
    /// `$patients` has the state, and sets another query: `$patients.query = { $0.sort(\.name.family) }`. The results stay until the new ones are there.
    @MainActor @propertyWrapper
    public struct FHIRResults<Resource: FHIRResource>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: ResultsFollower<Resource>

        /// Follows the resources of a type.
        ///
        /// - Parameters:
        ///   - type: the resource type.
        ///   - query: adds conditions and an order. Default: all resources in the order of storage.
        ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
        public init(
            _ type: Resource.Type, _ query: @escaping (FHIRQuery<Resource>) -> FHIRQuery<Resource> = { $0 }, pageSize: Int? = nil
        ) {
            _follower = State(initialValue: ResultsFollower(query, pageSize: pageSize))
        }

        /// The results; none while they are read.
        public var wrappedValue: [Resource] { follower.live?.results ?? [] }

        /// The state, and another query.
        public var projectedValue: ResultsFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store) }
    }

    /// What `$` gives of a property with `FHIRResults`.
    @MainActor @Observable
    public final class ResultsFollower<Resource: FHIRResource> {
        /// The results with their changes; nil before the view has a store.
        public private(set) var live: LiveQuery<Resource>?
        /// The conditions and the order. Set them to follow another query.
        public var query: (FHIRQuery<Resource>) -> FHIRQuery<Resource> {
            didSet { if let store, let live { live.query = query(store.query(Resource.self)) } }
        }
        @ObservationIgnored private let pageSize: Int?
        @ObservationIgnored private var store: FHIRStore?

        init(_ query: @escaping (FHIRQuery<Resource>) -> FHIRQuery<Resource>, pageSize: Int?) {
            self.query = query
            self.pageSize = pageSize
        }

        func follow(_ store: FHIRStore?) {
            guard let store, store !== self.store else { return }
            self.store = store
            live = LiveQuery(query(store.query(Resource.self)), pageSize: pageSize)
        }

        /// Whether the results are there.
        public var state: FHIRLoadingState {
            guard let live else { return .loading }
            if let error = live.error { return .failed(error) }
            if !live.results.isEmpty { return .loaded }
            return live.isLoading ? .loading : .empty
        }

        /// Loads the next page.
        public func loadMore() { live?.loadMore() }
    }

    // MARK: - One resource

    /// One live resource, in a view below `fhirStore(_:)`: `@FHIRRecord(Patient.self, id: "1") private var patient`.
    @MainActor @propertyWrapper
    public struct FHIRRecord<Resource: FHIRResource>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: RecordFollower<Resource>

        /// Follows the resource with a type and id.
        public init(_ type: Resource.Type, id: String) { _follower = State(initialValue: RecordFollower(id: id)) }

        /// The resource; nil while it is read, and if there is none.
        public var wrappedValue: Resource? { follower.live?.resource }

        /// The state.
        public var projectedValue: RecordFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store) }
    }

    /// What `$` gives of a property with `FHIRRecord`.
    @MainActor @Observable
    public final class RecordFollower<Resource: FHIRResource> {
        /// The resource; nil before the view has a store.
        public private(set) var live: LiveResource<Resource>?
        @ObservationIgnored private let id: String
        @ObservationIgnored private var store: FHIRStore?

        init(id: String) { self.id = id }

        func follow(_ store: FHIRStore?) {
            guard let store, store !== self.store else { return }
            self.store = store
            live = LiveResource(Resource.self, id: id, in: store)
        }

        /// Whether the resource is there.
        public var state: FHIRLoadingState {
            guard let live else { return .loading }
            if let error = live.error { return .failed(error) }
            return live.isLoading ? .loading : live.resource == nil ? .empty : .loaded
        }
    }

    // MARK: - Forms

    extension FormModel {
        /// A binding to a text, number, date or code, for controls of SwiftUI.
        public func binding<Value: Sendable>(_ path: ReferenceWritableKeyPath<Resource, Value>) -> Binding<Value> {
            Binding(get: { self[path] }, set: { self[path] = $0 })
        }

        /// A binding to a text that is absent when it is empty, for text fields.
        public func text(_ path: ReferenceWritableKeyPath<Resource, String?>) -> Binding<String> {
            Binding(get: { self[path] ?? "" }, set: { self[path] = $0.isEmpty ? nil : $0 })
        }
    }
#endif

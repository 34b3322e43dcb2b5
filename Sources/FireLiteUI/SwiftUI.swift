#if canImport(SwiftUI)
    import Observation
    import SwiftUI

    // Thin over `LiveQuery`, `LiveResource` and `FormModel`, which are tested on every system.

    // MARK: - Environment

    private struct FHIRStoreKey: EnvironmentKey {
        static let defaultValue: FHIRStore? = nil
    }

    extension EnvironmentValues {
        /// The store that `FHIRResults`, `FHIRRecord` and `FHIRValue` follow in this view and the views below it.
        public var fhirStore: FHIRStore? {
            get { self[FHIRStoreKey.self] }
            set { self[FHIRStoreKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the store that `FHIRResults`, `FHIRRecord` and `FHIRValue` follow in this view and the views below it.
        public func fhirStore(_ store: FHIRStore?) -> some View { environment(\.fhirStore, store) }
    }

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

    /// The live results of a query, in a view below `fhirStore(_:)`.
    ///
    /// ```swift
    /// @FHIRResults(Patient.self, { $0.where { $0.active }.sort(\.birthDate) }) private var patients
    /// ```
    /// `$patients` has the state, and sets another query: `$patients.query = { $0.sort(\.name.family) }`. The results stay until the new ones are there.
    /// With an animation, changes of the results are animated; the first results are not. Without a store in the environment there are no results, and the
    /// state is `loading`.
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
        ///   - animation: how changes of the results are animated. Default: not at all.
        public init(
            _ type: Resource.Type, _ query: @escaping (FHIRQuery<Resource>) -> FHIRQuery<Resource> = { $0 }, pageSize: Int? = nil,
            animation: Animation? = nil
        ) {
            _follower = State(initialValue: ResultsFollower(query, pageSize: pageSize, animation: animation))
        }

        /// The results; empty until they have been read.
        public var wrappedValue: [Resource] { follower.shown?.results ?? [] }

        /// The state of the results, and their query, which can be set.
        public var projectedValue: ResultsFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store) }
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
        @ObservationIgnored private let animation: Animation?
        @ObservationIgnored private var store: FHIRStore?

        init(_ query: @escaping (FHIRQuery<Resource>) -> FHIRQuery<Resource>, pageSize: Int?, animation: Animation?) {
            self.query = query
            self.pageSize = pageSize
            self.animation = animation
        }

        func follow(_ store: FHIRStore?) {
            guard let store, store !== self.store else { return }
            self.store = store
            let live = LiveQuery(query(store.query(Resource.self)), pageSize: pageSize)
            self.live = live
            shown = ShownResults(live) { [animation] changes, show in
                if let animation, changes != nil { withAnimation(animation) { show() } } else { show() }
            }
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

    /// One live resource, in a view below `fhirStore(_:)`: `@FHIRRecord(Patient.self, id: "1") private var patient`.
    @MainActor @propertyWrapper
    public struct FHIRRecord<Resource: FHIRResource>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: RecordFollower<Resource>

        /// Follows the resource with a type and id.
        public init(_ type: Resource.Type, id: String) { _follower = State(initialValue: RecordFollower(id: id)) }

        /// The resource; nil until it has been read, and if there is none.
        public var wrappedValue: Resource? { follower.live?.resource }

        /// The state of the resource.
        public var projectedValue: RecordFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store) }
    }

    /// The projected value of `FHIRRecord`: `$patient` for a property `patient`.
    @MainActor @Observable
    public final class RecordFollower<Resource: FHIRResource> {
        /// The live resource; nil until the view has a store.
        public private(set) var live: LiveResource<Resource>?
        @ObservationIgnored private let id: String
        @ObservationIgnored private var store: FHIRStore?

        init(id: String) { self.id = id }

        func follow(_ store: FHIRStore?) {
            guard let store, store !== self.store else { return }
            self.store = store
            live = LiveResource(Resource.self, id: id, in: store)
        }

        /// The loading state of the resource.
        public var state: FHIRLoadingState {
            guard let live else { return .loading }
            if let error = live.error { return .failed(error) }
            return live.isLoading ? .loading : live.resource == nil ? .empty : .loaded
        }
    }

    // MARK: - Counts and aggregates

    /// A live count, aggregate or anything else that is read from the store, in a view below `fhirStore(_:)`.
    ///
    /// ```swift
    /// @FHIRValue({ try $0.query(Patient.self).where { $0.active }.count() }) private var activePatients
    /// ```
    /// `$activePatients` has the state, and follows another value: `$activePatients.follow { … }`.
    @MainActor @propertyWrapper
    public struct FHIRValue<Value: Sendable>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: ValueFollower<Value>

        /// Follows what a block reads.
        ///
        /// - Parameter read: reads the value from a snapshot, again after each commit that changed what it has read.
        public init(_ read: @escaping @Sendable (ReadTransaction) throws -> Value) { _follower = State(initialValue: ValueFollower(read)) }

        /// The value; nil until it has been read.
        public var wrappedValue: Value? { follower.live?.value }

        /// The state of the value, and a call that follows another one.
        public var projectedValue: ValueFollower<Value> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store) }
    }

    /// The projected value of `FHIRValue`: `$count` for a property `count`.
    @MainActor @Observable
    public final class ValueFollower<Value: Sendable> {
        /// The live value; nil until the view has a store.
        public private(set) var live: LiveValue<Value>?
        @ObservationIgnored private var read: @Sendable (ReadTransaction) throws -> Value
        @ObservationIgnored private var store: FHIRStore?

        init(_ read: @escaping @Sendable (ReadTransaction) throws -> Value) { self.read = read }

        func follow(_ store: FHIRStore?) {
            guard let store, store !== self.store else { return }
            self.store = store
            live = LiveValue(in: store, read)
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
            return live.value == nil ? .loading : .loaded
        }
    }

    // MARK: - Forms

    extension FormModel {
        /// A binding to a text, number, date or code, for SwiftUI controls.
        public func binding<Value: Sendable>(_ path: ReferenceWritableKeyPath<Resource, Value>) -> Binding<Value> {
            Binding(get: { self[path] }, set: { self[path] = $0 })
        }

        /// A binding to a value that may be absent, for controls that always show one.
        ///
        /// - Parameters:
        ///   - path: the element.
        ///   - missing: what is shown while it is absent.
        public func binding<Value: Sendable>(_ path: ReferenceWritableKeyPath<Resource, Value?>, or missing: Value) -> Binding<Value> {
            Binding(get: { self[path] ?? missing }, set: { self[path] = $0 })
        }

        /// A binding to a text for text fields; an empty text removes the element.
        public func text(_ path: ReferenceWritableKeyPath<Resource, String?>) -> Binding<String> {
            Binding(get: { self[path] ?? "" }, set: { self[path] = $0.isEmpty ? nil : $0 })
        }
    }
#endif

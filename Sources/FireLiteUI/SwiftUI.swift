#if canImport(SwiftUI)
    import SwiftUI

    // Thin over the followers, `LiveQuery`, `LiveResource` and `FormModel`, which are tested on every system.

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

    // MARK: - Animation

    extension Animation? {
        /// Shows a change within the animation, if there is one; what is not a change of something shown is shown at once.
        @MainActor
        fileprivate func present(_ isChange: Bool, _ show: () -> Void) {
            if let animation = self, isChange { withAnimation(animation) { show() } } else { show() }
        }
    }

    // MARK: - Results

    /// The live results of a query, in a view below `fhirStore(_:)`.
    ///
    /// ```swift
    /// @FHIRResults(Patient.self, where: { $0.active }, sort: \.birthDate) private var patients
    /// ```
    /// `$patients` has the state, and sets another query: `$patients.query = { $0.sort(\.name.family) }`. The results stay until the new ones are there.
    /// With an animation, changes of the results are animated; the first results are not. Without a store in the environment there are no results, and the
    /// state is `loading`.
    ///
    /// If the parent makes the view again with another query, for example one with the id of another patient, the property follows that query; the page size
    /// and the animation stay those of the first. A query that was set stays as long as the parent passes the same one. Give the view an identity,
    /// `.id(patient.id)`, if the earlier results must not be shown until the new ones are there.
    @MainActor @propertyWrapper
    public struct FHIRResults<Resource: FHIRResource>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: ResultsFollower<Resource>
        private let given: GivenQuery<Resource>

        /// Follows the results of a query.
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
            given = GivenQuery(query)
            _follower = State(
                initialValue: ResultsFollower(given, pageSize: pageSize) { changes, show in animation.present(changes != nil, show) })
        }

        /// The results; empty until they have been read.
        public var wrappedValue: [Resource] { follower.shown?.results ?? [] }

        /// The state of the results, and their query, which can be set.
        public var projectedValue: ResultsFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store, given) }
    }

    // MARK: - One resource

    /// One live resource, in a view below `fhirStore(_:)`: `@FHIRRecord(Patient.self, id: "1") private var patient`.
    ///
    /// If the parent makes the view again with another id, the property follows that resource, and is nil until it has been read. `$patient` has the state,
    /// and the id, which can be set. With an animation, changes of the resource are animated, its deletion included; the first read, and that of another id,
    /// is not.
    @MainActor @propertyWrapper
    public struct FHIRRecord<Resource: FHIRResource>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: RecordFollower<Resource>
        private let id: String

        /// Follows the resource with a type and id.
        ///
        /// - Parameters:
        ///   - type: the resource type.
        ///   - id: the resource's id.
        ///   - animation: how changes of the resource are animated. Default: not at all.
        public init(_ type: Resource.Type, id: String, animation: Animation? = nil) {
            self.id = id
            _follower = State(initialValue: RecordFollower(id: id) { isChange, show in animation.present(isChange, show) })
        }

        /// The resource; nil until it has been read, and if there is none.
        public var wrappedValue: Resource? { follower.resource }

        /// The state of the resource, and its id, which can be set.
        public var projectedValue: RecordFollower<Resource> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store, id: id) }
    }

    // MARK: - Counts and aggregates

    /// A live count, aggregate or anything else that is read from the store, in a view below `fhirStore(_:)`.
    ///
    /// ```swift
    /// @FHIRValue({ try $0.query(Patient.self).where { $0.active }.count() }) private var activePatients
    /// ```
    /// `$activePatients` has the state, and follows another value: `$activePatients.follow { … }`.
    ///
    /// Blocks cannot be compared, so the property keeps the first one when the parent makes the view again. A block that uses a value of the parent needs an
    /// identity, which the parent's value determines: `init(id:_:animation:)`. With an animation, changes of the value are animated; the first value of a
    /// store or identity is not.
    @MainActor @propertyWrapper
    public struct FHIRValue<Value: Sendable>: @preconcurrency DynamicProperty {
        @Environment(\.fhirStore) private var store
        @State private var follower: ValueFollower<Value>
        private let id: AnyHashable?
        private let read: @Sendable (ReadTransaction) throws -> Value

        /// Follows what a block reads; always the first block.
        ///
        /// - Parameters:
        ///   - read: reads the value from a snapshot, again after each commit that changed what it has read.
        ///   - animation: how changes of the value are animated. Default: not at all.
        public init(_ read: @escaping @Sendable (ReadTransaction) throws -> Value, animation: Animation? = nil) {
            id = nil
            self.read = read
            _follower = State(initialValue: Self.follower(id: nil, read, animation))
        }

        /// Follows what a block reads, and another block when the identity changes.
        ///
        /// - Parameters:
        ///   - id: everything that the block uses from outside, for example the id of a patient. When the parent makes the view with another one, the value is
        ///     nil until the new block has read it.
        ///   - read: reads the value from a snapshot, again after each commit that changed what it has read.
        ///   - animation: how changes of the value are animated. Default: not at all.
        public init(id: some Hashable, _ read: @escaping @Sendable (ReadTransaction) throws -> Value, animation: Animation? = nil) {
            self.id = AnyHashable(id)
            self.read = read
            _follower = State(initialValue: Self.follower(id: AnyHashable(id), read, animation))
        }

        private static func follower(
            id: AnyHashable?, _ read: @escaping @Sendable (ReadTransaction) throws -> Value, _ animation: Animation?
        ) -> ValueFollower<Value> {
            ValueFollower(id: id, present: { isChange, show in animation.present(isChange, show) }, read)
        }

        /// The value; nil until it has been read.
        public var wrappedValue: Value? { follower.value }

        /// The state of the value, and a call that follows another one.
        public var projectedValue: ValueFollower<Value> { follower }

        /// Called by SwiftUI before it reads the value.
        public func update() { follower.follow(store, id: id, read) }
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

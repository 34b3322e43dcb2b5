import FireLiteCore

/// One object for each resource on the main actor: two fetches of a resource give the same object, brought up to date in place.
///
/// ```swift
/// let objects = LiveObjects(store)
/// let first = try objects.resource(Patient.self, id: "123")
/// let second = try objects.resource(Patient.self, id: "123")   // === first
/// ```
/// Objects are kept only while they are in use elsewhere. For screens that share objects; anything else fetches from the store.
@MainActor
public final class LiveObjects {
    private let store: FHIRStore
    private var objects: [Int64: WeakObject] = [:]

    private struct WeakObject {
        weak var object: FHIRResource?
    }

    /// The objects of a store.
    public init(_ store: FHIRStore) { self.store = store }

    /// The resource with this type and id, up to date; nil if there is none. Blocks the main thread while it is read.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try store.resource(type, id: id).map { one($0) }
    }

    /// The results of a query, each as its one object. Blocks the main thread while they are read.
    ///
    /// - Throws: `FHIRStoreError`.
    public func all<Resource: FHIRResource>(_ query: FHIRQuery<Resource>) throws -> [Resource] { try query.all().map { one($0) } }

    private func one<Resource: FHIRResource>(_ fresh: Resource) -> Resource {
        guard let newer = fresh.objectExtras as? StoreTie else { return fresh }
        if let known = objects[newer.root]?.object as? Resource, let tie = known.objectExtras as? StoreTie {
            if tie.revision != newer.revision { known.refresh(tie, fresh) }
            return known
        }
        if objects.count > 1_000, objects.count.isMultiple(of: 1_000) { objects = objects.filter { $0.value.object != nil } }
        objects[newer.root] = WeakObject(object: fresh)
        return fresh
    }
}

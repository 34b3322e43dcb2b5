import FireLite
import FireLiteR4

/// A way to keep resources in a file, as an app would use it.
protocol Peer: AnyObject {
    static var title: String { get }

    /// Opens or makes a durable store in write-ahead-log mode.
    init(path: String) throws

    /// Stores resources by type and id in one transaction.
    func write(_ resources: [FHIRResource]) throws

    func fetch(typeName: String, id: String) throws -> FHIRResource?

    /// Observations by their ids.
    func observations(ids: [String]) throws -> [FHIRResource]

    /// Calls `body` with every observation.
    func forEachObservation(_ body: (FHIRResource) -> Void) throws

    /// How many observations have a coding with this code, in whatever place.
    func count(code: String) throws -> Int

    /// Adds indexes for `count`, `observations(of:)` and `latest`, as far as the peer can have them.
    func addIndexes() throws

    /// The observations of a subject.
    func observations(of reference: String) throws -> [FHIRResource]

    /// The observations with the latest times, 50 of them.
    func latest() throws -> [FHIRResource]

    func delete(_ keys: [ResourceKey]) throws

    /// Brings everything into the file itself.
    func checkpoint() throws
}

import FireLite
import FireLiteR4

/// FireLite itself.
final class FireLitePeer: Peer {
    static let title = "FireLite"
    private let store: FHIRStore

    init(path: String) throws { store = try FHIRStore(path: path, release: .r4) }

    func write(_ resources: [FHIRResource]) throws { try store.write { _ = try $0.upsert(resources) } }

    func fetch(typeName: String, id: String) throws -> FHIRResource? { try store.resource(typeName: typeName, id: id) }

    func observations(ids: [String]) throws -> [FHIRResource] { try store.resources(Observation.self, ids: ids) }

    func forEachObservation(_ body: (FHIRResource) -> Void) throws {
        try store.read { try $0.forEach(Observation.self) { body($0) } }
    }

    func count(code: String) throws -> Int { try store.query(Observation.self).where { $0.code.coding.code == code }.count() }

    func addIndexes() throws {
        try store.createIndex(Observation.self) { $0.code.coding.code }
        try store.createIndex(Observation.self) { $0.subject.reference }
        try store.createIndex(Observation.self) { $0.effectiveDateTime }
    }

    func observations(of reference: String) throws -> [FHIRResource] {
        try store.query(Observation.self).where { $0.subject.reference == reference }.all()
    }

    func latest() throws -> [FHIRResource] { try store.query(Observation.self).sort { $0.effectiveDateTime.descending }.limit(50).all() }

    func delete(_ keys: [ResourceKey]) throws {
        try store.write { transaction in for key in keys { try transaction.delete(typeName: key.typeName, id: key.id) } }
    }

    func checkpoint() throws { _ = try store.checkpoint(.truncate) }
}

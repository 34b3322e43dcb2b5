import FireLite
import TestSupport

/// What a store has of the types that random writes change.
struct WrittenState: Equatable {
    struct Key: Hashable {
        let pk: String
        let type: String
    }

    static let types = ["Patient", "Basic"]
    /// The largest id.
    static let ids = 7

    /// The content of each resource.
    private(set) var resources: [Key: JSONTree] = [:]

    init() {}

    init(_ store: FHIRStore) throws {
        resources = try store.read { tx in
            var found: [Key: JSONTree] = [:]
            for type in Self.types {
                try tx.forEach(typeName: type) { found[Key(pk: $0.pk, type: type)] = try JSONTree(FHIRJSON.string($0)) }
            }
            return found
        }
    }

    static func id(_ tree: JSONTree) -> String? {
        if case .string(let id)? = tree["id"] { return id }
        return nil
    }
}

import FireLite
import FireLiteCore
import FireLiteTerminal

/// The stored resources that others refer to and that are not among them.
struct ReferredResources {
    /// How many resources of a chunk are in memory at a time.
    private static let chunk = 200

    /// Their number by type.
    private(set) var counts: [String: Int] = [:]
    private var seen: Set<String> = []

    /// - Parameter roots: the numbers of the resources that refer.
    /// - Throws: `FHIRStoreError`.
    init(outside roots: Set<Int64>, _ transaction: ReadTransaction) throws {
        let bases = try transaction.bases()
        let keys = roots.sorted().map { RowKey.key($0) }
        for start in stride(from: 0, to: keys.count, by: Self.chunk) {
            for resource in Self.readable(Array(keys[start..<min(start + Self.chunk, keys.count)]), transaction) {
                try add(resource, bases, roots, transaction)
            }
        }
    }

    /// The resources, without those that cannot be read: the export reports them.
    private static func readable(_ keys: [Int64], _ transaction: ReadTransaction) -> [FHIRResource] {
        do { return try transaction.resources(keys: keys).map { try transaction.opened($0) } } catch {
            return keys.count > 1 ? keys.flatMap { readable([$0], transaction) } : []
        }
    }

    private mutating func add(_ object: FHIRObject, _ bases: [String], _ roots: Set<Int64>, _ transaction: ReadTransaction) throws {
        if object.layout.name == "Reference", let text = object.text("reference") {
            let parts = ReferenceParts(text)
            if let type = parts.type, let id = parts.id, parts.isLocal(bases), seen.insert("\(type)/\(id)").inserted,
                transaction.store.release.hasResourceType(named: type),
                let found = try transaction.registered(type, id: id), !roots.contains(found.root)
            {
                counts[type, default: 0] += 1
            }
        }
        var children: [FHIRObject] = []
        object.forEachSlot { $0.value.forEachChild { children.append($0) } }
        for child in children { try add(child, bases, roots, transaction) }
    }

    /// `Device 1, Practitioner 2`; nil if there are none.
    var line: String? {
        let items = counts.sorted { $0.key < $1.key }.map { "\($0.key) \(Figures.count($0.value))" }
        return items.isEmpty ? nil : items.joined(separator: ", ")
    }
}

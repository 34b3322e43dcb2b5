@testable import FireLite
@testable import FireLiteCore

/// Every object in a resource by its place: slots, positions and classes on the way to it.
struct ElementPlaces {
    private(set) var objects: [String: FHIRObject] = [:]

    init(_ resource: FHIRObject) { add(resource, at: resource.layout.name) }

    private mutating func add(_ object: FHIRObject, at place: String) {
        objects[place] = object
        object.forEachSlot { slot in
            switch slot.value {
            case .object(let child): add(child, at: "\(place)/\(slot.index):\(child.layout.name)")
            case .objects(let children):
                for (index, child) in children.enumerated() { add(child, at: "\(place)/\(slot.index)[\(index)]:\(child.layout.name)") }
            default: break
            }
        }
    }

    var pks: [String: String] { objects.mapValues(\.pk) }

    var identities: Set<ObjectIdentifier> { Set(objects.values.map { ObjectIdentifier($0) }) }
}

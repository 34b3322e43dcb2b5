import FireLite
import FireLiteR4

/// The type and logical id of a resource of the data.
struct ResourceKey {
    let type: FHIRResource.Type
    let typeName: String
    let id: String
    /// The number of the resource in the data.
    let index: Int

    private init?(_ resource: FHIRResource, _ index: Int) {
        guard let id = resource.id else { return nil }
        self.type = Swift.type(of: resource)
        self.typeName = resource.resourceType
        self.id = id
        self.index = index
    }

    /// The key of an observation with this id, of a store whose data is not at hand.
    init(observation id: String) {
        type = Observation.self
        typeName = "Observation"
        self.id = id
        index = -1
    }

    /// The keys of all resources that have an id.
    static func all(_ corpus: Corpus) throws -> [ResourceKey] {
        var keys: [ResourceKey] = []
        for range in corpus.chunks() {
            for (offset, resource) in try corpus.objects(range).enumerated() {
                if let key = ResourceKey(resource, range.lowerBound + offset) { keys.append(key) }
            }
        }
        return keys
    }

    /// Some of the keys in an order that has nothing to do with that in the file.
    static func sample(_ corpus: Corpus, _ size: Int) throws -> [ResourceKey] {
        var random = SeededRandom(seed: 6)
        var keys: [ResourceKey] = []
        for index in (0..<corpus.count).shuffled(using: &random) where keys.count < size {
            if let key = ResourceKey(try corpus.object(index), index) { keys.append(key) }
        }
        return keys
    }

    /// Whether resources are those that the keys were made from, in their order.
    ///
    /// - Parameter edit: what was done to the resources before they were stored.
    static func areEqual(_ found: [FHIRResource], _ keys: [ResourceKey], _ corpus: Corpus, edit: ((FHIRResource) -> Void)? = nil) throws
        -> Bool
    {
        guard found.count == keys.count else { return false }
        return try zip(found, keys).allSatisfy { resource, key in
            let original = try corpus.object(key.index)
            edit?(original)
            return resource == original
        }
    }
}

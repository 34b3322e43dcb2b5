import FireLite
import FireLiteR4

/// The type and logical id of a resource of the data.
struct ResourceKey {
    let type: FHIRResource.Type
    let typeName: String
    let id: String
    /// The number of the resource in the data that the key was made from.
    let index: Int

    /// The keys of all resources that have an id.
    static func all(_ corpus: Corpus) throws -> [ResourceKey] {
        var keys: [ResourceKey] = []
        for range in corpus.chunks() {
            for (offset, resource) in try corpus.objects(range).enumerated() {
                guard let id = resource.id else { continue }
                keys.append(
                    ResourceKey(type: Swift.type(of: resource), typeName: resource.resourceType, id: id, index: range.lowerBound + offset))
            }
        }
        return keys
    }

    /// Some of the keys in an order that has nothing to do with that in the file.
    static func sample(_ corpus: Corpus, _ size: Int) throws -> [ResourceKey] {
        var random = SeededRandom(seed: 6)
        return Array(try all(corpus.sample(size * 2)).shuffled(using: &random).prefix(size))
    }
}

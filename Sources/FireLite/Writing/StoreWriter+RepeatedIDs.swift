import FireLiteCore

// Upserts in which an id occurs more than once.

extension StoreWriter {
    /// A type and id of an upsert. Ids are equal if their bytes are, as in SQLite; equal Swift strings may differ in their bytes.
    struct Key: Hashable {
        let type: ObjectIdentifier
        let id: String

        static func == (left: Key, right: Key) -> Bool { left.type == right.type && left.id.utf8.elementsEqual(right.id.utf8) }
    }

    /// Two resources of an upsert seem to have the same id, and the store does not have the content of both.
    struct RepeatedID: Error {}

    /// The index that counts of each type and id: the last one, or the last of the newest.
    static func decidingIndexes(_ resources: [FHIRResource], _ policy: UpsertPolicy) -> [Key: Int] {
        var lasts: [Key: Int] = [:]
        lasts.reserveCapacity(resources.count)
        for (index, resource) in resources.enumerated() {
            guard let id = resource.id else { continue }
            let key = Key(type: ObjectIdentifier(type(of: resource)), id: id)
            if policy == .keepNewer, let other = lasts[key], MetaVersion(resource).isOlder(than: MetaVersion(resources[other])) {
                continue
            }
            lasts[key] = index
        }
        return lasts
    }
}

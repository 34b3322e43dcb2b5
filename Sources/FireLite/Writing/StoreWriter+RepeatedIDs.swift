import FireLiteCore

// Upserts in which an id occurs more than once.

extension StoreWriter {
    /// Two resources of an upsert seem to have the same type and id, and the store does not have the content of both.
    struct RepeatedID: Error {}

    /// The index that counts of each type and id: the last one, or the last of the newest.
    static func decidingIndexes(_ resources: [FHIRResource], _ policy: UpsertPolicy) -> [ResourceIdentity: Int] {
        var lasts: [ResourceIdentity: Int] = [:]
        lasts.reserveCapacity(resources.count)
        for (index, resource) in resources.enumerated() {
            guard let identity = ResourceIdentity(resource) else { continue }
            if policy == .keepNewer, let other = lasts[identity], MetaVersion(resource).isOlder(than: MetaVersion(resources[other])) {
                continue
            }
            lasts[identity] = index
        }
        return lasts
    }
}

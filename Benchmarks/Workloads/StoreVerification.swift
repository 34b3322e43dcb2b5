import FireLite

/// Whether a store gives back what was put in.
enum StoreVerification {
    /// How many resources are compared; they are spread over all.
    private static let limit = 3_000

    /// - Parameter edit: what was done to the resources before they were stored.
    static func holds(_ corpus: Corpus, _ store: FHIRStore, edit: ((FHIRResource) -> Void)? = nil) throws -> Bool {
        guard try store.statistics().resources == corpus.count else { return false }
        return try store.read { transaction in
            for resource in try corpus.sample(limit).objects() {
                guard let id = resource.id else { continue }
                edit?(resource)
                guard try transaction.resource(typeName: resource.resourceType, id: id) == resource else { return false }
            }
            return true
        }
    }
}

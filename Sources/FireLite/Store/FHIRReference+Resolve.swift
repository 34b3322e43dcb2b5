import FireLiteCore

extension FHIRReference {
    /// The resource that the reference points to; nil if the store does not have it.
    ///
    /// Follows `Type/id`, the same under one of the store's base addresses (`FHIRStore.bases()`), `urn:uuid:` by pk or id, and `#id` inside the
    /// container, according to `ReferenceParts.form`. The conditions `refers`, `target` and `isReferred` follow the same references, except for
    /// `#id`. If a `urn:uuid:` is the pk of one resource and the id of others, they find each of these, and this method the first.
    /// A version in the reference is ignored: a store has one version of a resource.
    /// - Throws: `FHIRStoreError` if the store cannot be read.
    public func resolve(in store: FHIRStore) throws -> FHIRResource? {
        guard let reference else { return nil }
        if ReferenceParts(reference).form == .contained { return containedTarget() }
        return try store.read { try $0.resource(reference: reference) }
    }
}

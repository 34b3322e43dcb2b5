import FireLiteCore

extension FHIRReference {
    /// The resource that the reference points to; nil if the store does not have it.
    ///
    /// Follows `Type/id`, `http` and `https` URLs that end in it, `urn:uuid:` by pk or id, and `#id` inside the container, according to
    /// `ReferenceParts.form`. The conditions `refers`, `target` and `isReferred` follow the same references, except for `#id`. If a
    /// `urn:uuid:` is the pk of one resource and the id of others, they find each of these, and this method the first.
    /// A version in the reference is ignored: a store has one version of a resource.
    /// - Throws: `FHIRStoreError` if the store cannot be read.
    public func resolve(in store: FHIRStore) throws -> FHIRResource? {
        guard let parts else { return nil }
        switch parts.form {
        case .contained: return containedTarget()
        case .relative, .absolute:
            guard let type = parts.type, let id = parts.id, store.release.hasResourceType(named: type) else { return nil }
            return try store.resource(typeName: type, id: id)
        case .uuid:
            guard let uuid = parts.id else { return nil }
            return try store.read { transaction in
                if let resource = try transaction.resource(pk: uuid) { return resource }
                for typeName in try transaction.counts().map(\.typeName) {
                    if let resource = try transaction.resource(typeName: typeName, id: uuid) { return resource }
                }
                return nil
            }
        case .oid, .other: return nil
        }
    }
}

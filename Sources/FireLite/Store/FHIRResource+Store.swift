import FireLiteCore

extension FHIRResource {
    /// Whether the object is known to have the content that its store has now; false for an object that is not stored, or whose resource was
    /// deleted. For an object from a restricted view, a resource that the view no longer shows counts as deleted.
    ///
    /// Also false if that cannot be found out, as of a store that is closed: `checkCurrent()` says why. Costs a lookup by number.
    public var isCurrent: Bool {
        do { return try checkCurrent() } catch { return false }
    }

    /// Finds out whether the object has the content that its store has now, as `isCurrent` does.
    ///
    /// - Throws: `FHIRStoreError` if the store cannot be read.
    public func checkCurrent() throws -> Bool {
        guard let tie = objectExtras as? StoreTie else { return false }
        return try withRegistration(tie, reads: false) { $1.revision == tie.revision } ?? false
    }

    /// Brings a stored object up to date in place, so that it can be changed and saved after other writes have changed the resource.
    ///
    /// ```swift
    /// let patient = try store.resource(Patient.self, id: "123")!
    /// // … another write changes the patient …
    /// if try patient.refresh() { try store.write { _ in patient.active = true } }
    /// ```
    /// Elements that are still stored keep their objects; those that are gone become objects of their own. An object that is current is
    /// not read again. An object from a restricted view is read through the view, by what it shows now.
    /// - Returns: false if the resource was deleted, or its view no longer shows it; the object then keeps its content.
    /// - Precondition: the object is stored, and this is not inside a write of its store, which may have changed the object.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func refresh() throws -> Bool {
        guard let tie = objectExtras as? StoreTie else {
            misuse("the \(layout.name) with pk \(pk) is not stored, so it cannot be refreshed: fetch it from a store")
        }
        misuse(unless: tie.store.currentObjects == nil, "refresh() inside a write could undo its changes: call it before the write")
        return try withRegistration(tie, reads: true) { transaction, registration in
            guard registration.revision != tie.revision else { return true }
            refresh(tie, try transaction.loader.resource(registration))
            return true
        } ?? false
    }

    /// Takes over the state of an object of the same resource that was read later, and is empty afterwards.
    func refresh(_ tie: StoreTie, _ fresh: FHIRResource) {
        guard let newer = fresh.objectExtras as? StoreTie else { return }
        refresh(from: fresh)
        tie.revision = newer.revision
    }
}

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

import FireLiteCore

extension FHIRResource {
    /// A copy without what servers add.
    package var withoutServerMeta: FHIRResource {
        let copy = self.copy()
        if let slot = copy.layout.element(named: "meta")?.slot, let meta = copy.child("meta") {
            for name in ["versionId", "lastUpdated", "source"] {
                guard let slot = meta.layout.element(named: name)?.slot else { continue }
                meta.store(nil, in: slot)
            }
            if !meta.hasContent { copy.store(nil, in: slot) }
        }
        return copy
    }
}

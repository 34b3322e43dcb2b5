import Foundation

extension FHIRObject {
    /// The object's local key: created when first read, kept when saved and fetched, never in JSON.
    ///
    /// If an object's pk is not read before it is saved, its pk is derived from its place in the store, and takes no space.
    /// - Precondition: can be set only while the object is unmanaged.
    public final var pk: String {
        get {
            if let pk = objectExtras?.pk { return pk }
            if objectFlags.contains(.managed), let pk = rootObject.objectExtras?.derivedPK(of: self) { return pk }
            let pk = UUID().uuidString.lowercased()
            withExtras { $0.pk = pk }
            return pk
        }
        set {
            misuse(
                unless: !objectFlags.contains(.managed),
                "the \(layout.name) with pk \(pk) is stored, so its pk is fixed: set it before the object is added, or change a copy()")
            withExtras { $0.pk = newValue }
        }
    }

    package final func withExtras(_ body: (_ObjectExtras) -> Void) {
        let objectExtras = objectExtras ?? _ObjectExtras()
        self.objectExtras = objectExtras
        body(objectExtras)
    }

    /// Whether the object belongs to a store: added to it or fetched from it, and not deleted since.
    public final var isManaged: Bool { objectFlags.contains(.managed) }
}

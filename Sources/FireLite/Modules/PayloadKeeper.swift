import FireLiteCore

/// Keeps large payloads of resources apart from their rows, in tables of a module.
///
/// While a resource is compared and written, a short reference replaces each payload in it, so that rows, digests and tracked versions have
/// the reference. A resource that is read has it too.
package protocol PayloadKeeper: Sendable {
    /// Stores the payloads of a resource, and puts references in their places until `DetachedPayloads.restore`.
    ///
    /// - Returns: nil if the resource has neither payloads nor references.
    /// - Throws: `FHIRStoreError.conflict` for a reference to something that the store does not have.
    func detach(from resource: FHIRResource, _ tx: WriteTransaction) throws -> DetachedPayloads?

    /// Notes which payloads the rows of a resource refer to now: none if it was deleted.
    ///
    /// - Parameters:
    ///   - isNew: whether the resource was added by this write.
    ///   - keepsVersions: whether the content so far may stay in the change log or the history.
    func note(_ payloads: [Int64], ofResource root: Int64, isNew: Bool, keepsVersions: Bool, _ tx: WriteTransaction) throws

    /// Deletes what nothing refers to any more.
    func willCommit(_ tx: WriteTransaction) throws

    /// The resource with its payloads: the same object if it has no references, otherwise a copy.
    func whole(_ resource: FHIRResource, _ tx: ReadTransaction) throws -> FHIRResource
}

/// The payloads that are kept apart of a resource that is being written.
package struct DetachedPayloads {
    /// A payload in a resource, whose place a reference takes.
    package struct Text {
        let object: FHIRObject
        let slot: Int
        let value: SlotValue
    }

    /// The numbers of the payloads that the resource refers to.
    package var payloads: [Int64] = []
    private var texts: [Text] = []

    package init() {}

    /// Whether payloads were replaced.
    package var hasTexts: Bool { !texts.isEmpty }

    /// Puts a reference into the place of a payload.
    package mutating func replace(_ slot: Int, of object: FHIRObject, with reference: String) {
        guard let value = object.value(slot) else { return }
        texts.append(Text(object: object, slot: slot, value: value))
        if case .annotated(let primitive) = value {
            object.store(.annotated(AnnotatedPrimitive(value: .text(reference), element: primitive.element)), in: slot)
        } else {
            object.store(.text(reference), in: slot)
        }
    }

    /// Puts the payloads back.
    package func restore() { for text in texts { text.object.store(text.value, in: text.slot) } }
}

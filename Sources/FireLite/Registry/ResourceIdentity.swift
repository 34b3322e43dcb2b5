import FireLiteCore

/// The identity of a resource: its type and id.
///
/// The type is FHIR's name. A Swift class would not do: it is one for all types of a release that was read as data. Ids are equal if their bytes
/// are, as in SQLite; equal Swift strings may differ in their bytes.
package struct ResourceIdentity: Hashable, Sendable {
    /// FHIR's name of the resource type.
    package let typeName: String
    /// The logical id.
    package let id: String

    package init(_ typeName: String, id: String) {
        self.typeName = typeName
        self.id = id
    }

    /// The identity of a resource; nil if it has no id.
    package init?(_ resource: FHIRResource) {
        guard let id = resource.id else { return nil }
        self.init(resource.resourceType, id: id)
    }

    package static func == (left: ResourceIdentity, right: ResourceIdentity) -> Bool {
        left.typeName == right.typeName && left.id.hasSameBytes(as: right.id)
    }
}

extension FHIRResource {
    /// Calls `body` with the bytes of the id where they lie, or with nil if there is none.
    @inline(__always)
    func withIDBytes(_ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        // It has the lowest number.
        let slots = slotRun
        guard let first = slots.baseAddress, !slots.isEmpty, first.pointee.index == 0 else { return body(nil) }
        if case .text = first.pointee.value { return first.text.withUTF8(body) }
        // An id with extensions.
        guard var id else { return body(nil) }
        id.withUTF8(body)
    }
}

/// Finds the element behind a generated property: reads the property of an empty instance that records which slot is read.
///
/// So generated code needs no table from key paths to elements.
package enum ElementProbe {
    /// The element behind a key path to a generated property, a choice element by the first of its types; nil for other properties.
    package static func element<Object: FHIRObject>(_ path: PartialKeyPath<Object>, of type: Object.Type) -> LayoutElement? {
        let object = type.init()
        object.objectFlags.insert(.probe)
        object.rowNode = UInt32.max
        _ = object[keyPath: path]
        return object.rowNode == UInt32.max ? nil : object.layout.elements[Int(object.rowNode)]
    }

    @inline(never)
    static func record(_ slot: Int, of object: FHIRObject) {
        object.rowNode = UInt32(slot)
    }
}

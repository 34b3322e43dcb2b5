import FireLiteCore

/// A value during evaluation: an object or primitive of a record, or a value of FHIRPath's own types.
package enum Item {
    /// A resource, datatype or backbone element.
    case object(FHIRObject)
    /// A FHIR primitive, packed in a word.
    case word(Int64, PrimitiveType)
    /// A FHIR primitive as text; of a type that has another storage, its literal.
    case text(String, PrimitiveType)
    /// A FHIR primitive with an id or extensions.
    case annotated(AnnotatedPrimitive, PrimitiveType)
    case boolean(Bool)
    case integer(Int64)
    case long(Int64)
    indirect case decimal(PathDecimal)
    case string(String)
    indirect case temporal(PathTemporal)
    indirect case quantity(PathQuantity)
    /// What `type()` gives.
    indirect case type(TypeName)
    /// `%terminologies`
    case terminologies
}

extension [Item] {
    /// The result true, an array that is made once. Unsafe only to the compiler: nothing changes it, and there is no object in it.
    nonisolated(unsafe) static let yes: [Item] = [.boolean(true)]
    /// The result false, likewise.
    nonisolated(unsafe) static let no: [Item] = [.boolean(false)]

    /// The collection of a truth value; empty for an unknown one.
    static func truth(_ value: Bool?) -> [Item] { value.map { $0 ? yes : no } ?? [] }

    static func optional(_ item: Item?) -> [Item] { item.map { [$0] } ?? [] }
}

/// Describes an object by its type and its id or pk, and no other value, as values are health data.
///
/// The members are in an extension of a protocol, so that a class's own element of the name, such as `StructureDefinition.description`,
/// takes precedence: then `"\(object)"` is the object's description, and `object.description` the element, a `String?`.
public protocol FHIRDescribable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension FHIRDescribable where Self: FHIRObject {
    /// The type with the id, `Patient/123`, or else the pk if it is known, `HumanName (pk …)`. It contains no other value.
    ///
    /// Use `FHIRJSON.string(object, pretty: true)` for the content. An id is shown only if it has FHIR's form, as other text could contain
    /// anything.
    ///
    /// Disfavored, as `definition.description == "a"` would otherwise use this non-optional property and not the element.
    @_disfavoredOverload
    public var description: String {
        let name = layout.name
        if let id = printableID { return "\(name)/\(id)" }
        return printablePK.map { "\(name) (pk \($0))" } ?? name
    }

    /// The description with the pk if it is known, the number of set elements, and whether a store has the object. It contains no other
    /// value.
    public var debugDescription: String {
        var text = layout.name
        if let id = printableID { text += "/\(id)" }
        var facts: [String] = []
        if let pk = printablePK { facts.append("pk \(pk)") }
        facts.append(filledSlotCount == 1 ? "1 element" : "\(filledSlotCount) elements")
        if isManaged { facts.append("stored") }
        return text + " (\(facts.joined(separator: ", ")))"
    }
}

extension FHIRObject: FHIRDescribable {}

extension FHIRObject {
    /// The logical id of a resource, if it is one that FHIR allows.
    fileprivate final var printableID: String? {
        guard var id = (self as? FHIRResource)?.id else { return nil }
        return id.withUTF8 { PrimitiveFormat.isId($0[...]) } ? id : nil
    }

    /// The pk, if the object already has one that consists only of characters of UUIDs and paths. A description does not create one.
    fileprivate final var printablePK: String? {
        let isManaged = objectFlags.contains(.managed)
        guard let pk = objectExtras?.pk ?? (isManaged ? rootObject.objectExtras?.derivedPK(of: self) : nil) else { return nil }
        let isPrintable = pk.utf8.count <= Self.longestPrintablePK && pk.utf8.allSatisfy(Self.isPrintable)
        return isPrintable && !pk.isEmpty ? pk : nil
    }

    /// A UUID, and the path of an element below it.
    private static var longestPrintablePK: Int { 200 }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

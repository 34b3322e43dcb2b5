/// What an object says of itself in text: its type and its id or pk, and no other value, as values are health data.
///
/// The members stand in an extension of a protocol, so that a class's own element of that name, `StructureDefinition.description` for one,
/// goes before them: there `"\(object)"` is the text about the object, and `object.description` the element, a `String?`.
public protocol FHIRDescribable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension FHIRDescribable where Self: FHIRObject {
    /// The type with the id, `Patient/123`, or else the pk if it is known, `HumanName (pk …)`. No other value is in it.
    ///
    /// `FHIRJSON.string(object, pretty: true)` is the content. Only an id as FHIR has it is shown, as any other text may be anything.
    ///
    /// Disfavored, as `definition.description == "a"` would else take this one, which is no optional, and not the element.
    @_disfavoredOverload
    public var description: String {
        let name = layout.name
        if let id = printableID { return "\(name)/\(id)" }
        return printablePK.map { "\(name) (pk \($0))" } ?? name
    }

    /// The description with the pk if it is known, the number of elements that are set, and whether a store has the object. No other value is
    /// in it.
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

    /// The pk, if the object has one already and it holds nothing but what UUIDs and paths are made of. Asking for a description makes none.
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

import FireLiteCore

/// Whether items are of a type that an expression names, in one release.
struct ItemType {
    /// FHIRPath's own types.
    static let systemTypes: Set<String> = [
        "Any", "Boolean", "String", "Integer", "Long", "Decimal", "Date", "DateTime", "Time", "Quantity",
    ]

    let name: TypeName
    /// Whether `Boolean` without a namespace means FHIR's `boolean`, too.
    let isLenient: Bool

    /// Whether the type exists. Without a release every name of FHIR is taken for one.
    static func isKnown(_ type: TypeName, in release: FHIRRelease?) -> Bool {
        switch type.namespace {
        case "System": return true
        case "FHIR": return release.map { isFHIR(type.name, in: $0) } ?? true
        case nil: return systemTypes.contains(type.name) || (release.map { isFHIR(type.name, in: $0) } ?? true)
        default: return false
        }
    }

    /// `: did you mean 'Quantity'?` for a type that does not exist; empty if none is near.
    static func hint(for type: TypeName, in release: FHIRRelease?) -> String {
        let primitives = PrimitiveType.allCases.map(\.name)
        return NearWords.hint(for: type.name, among: (release?.layouts.map(\.name) ?? []) + primitives + systemTypes.sorted())
    }

    private static func isFHIR(_ name: String, in release: FHIRRelease) -> Bool {
        release.layout(named: name) != nil || PrimitiveType(name: name) != nil || name == "Base" || name == "PrimitiveType"
            || name == "DataType"
            || name == "SimpleQuantity" || name == "MoneyQuantity"
    }

    /// Whether an item is of the type or of one derived from it.
    ///
    /// - Parameter isExact: Whether a primitive must be of the type itself. `is` accepts a `code` as a `string`; `as` and `ofType` do not,
    ///   as conversion between FHIR's primitives is not theirs.
    func matches(_ item: Item, isExact: Bool) -> Bool {
        switch item {
        case .object(let object): return name.namespace != "System" && matches(object.layout)
        case .word(_, let type), .text(_, let type), .annotated(_, let type): return matches(type, isExact: isExact)
        default:
            guard name.namespace != "FHIR", let system = item.typeName else { return false }
            return system.name == name.name || name.name == "Any"
        }
    }

    private func matches(_ layout: Layout) -> Bool { name.names(layout) || name.name == "Base" }

    private func matches(_ type: PrimitiveType, isExact: Bool) -> Bool {
        if name.namespace != "System" {
            if type.name == name.name { return true }
            if !isExact, let parent = type.parentName, parent == name.name { return true }
            if !isExact, ["Element", "PrimitiveType", "DataType", "Base"].contains(name.name) { return true }
        }
        // In definitions, `Boolean` is written for `boolean`.
        return isLenient && name.namespace == nil && type.systemName == name.name
    }
}

extension PrimitiveType {
    /// The primitive that FHIR derives the type from.
    var parentName: String? {
        switch self {
        case .code, .id, .markdown: "string"
        case .url, .canonical, .oid, .uuid: "uri"
        case .positiveInt, .unsignedInt: "integer"
        default: nil
        }
    }

    /// The type of FHIRPath that its values convert to.
    var systemName: String {
        switch storage {
        case .boolean: "Boolean"
        case .integer: self == .integer64 ? "Long" : "Integer"
        case .decimal: "Decimal"
        case .temporal: self == .date ? "Date" : self == .time ? "Time" : "DateTime"
        case .text: "String"
        }
    }
}

extension Item {
    /// The type with its namespace; nil for `%terminologies`.
    package var typeName: TypeName? {
        switch self {
        case .object(let object):
            let layout = object.layout
            // A backbone element has no name of its own.
            return TypeName(namespace: "FHIR", name: layout.kind == .backbone ? layout.base?.name ?? "BackboneElement" : layout.name)
        case .word(_, let type), .text(_, let type), .annotated(_, let type): return TypeName(namespace: "FHIR", name: type.name)
        case .boolean: return TypeName(namespace: "System", name: "Boolean")
        case .integer: return TypeName(namespace: "System", name: "Integer")
        case .long: return TypeName(namespace: "System", name: "Long")
        case .decimal: return TypeName(namespace: "System", name: "Decimal")
        case .string: return TypeName(namespace: "System", name: "String")
        case .temporal(let value):
            return TypeName(namespace: "System", name: value.kind == .date ? "Date" : value.kind == .time ? "Time" : "DateTime")
        case .quantity: return TypeName(namespace: "System", name: "Quantity")
        case .type: return TypeName(namespace: "System", name: "TypeInfo")
        case .terminologies: return nil
        }
    }
}

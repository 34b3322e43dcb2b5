extension FHIRDescribable where Self: FHIRObject {
    /// The set elements, by their JSON names and in FHIR's order, as shown by `dump(_:)` and debuggers.
    ///
    /// A mirror contains values; `print` and string interpolation never show them, even for a container of the object. Primitives have
    /// their Swift types, codes are text, and ids and extensions of primitives have the name with an underscore.
    public var customMirror: Mirror {
        var children: [(label: String, value: Any)] = []
        let elements = layout.elements
        forEachSlot { slot in
            let element = elements[Int(slot.index)]
            switch slot.value {
            case .annotated(let primitive):
                if let value = primitive.value { children.append((element.name, value.mirrored(as: element))) }
                children.append(("_" + element.name, primitive.element))
            case .annotatedTexts(let list):
                children.append((element.name, list.texts))
                if list.elements.contains(where: { $0 != nil }) { children.append(("_" + element.name, list.elements)) }
            case let value: children.append((element.name, value.mirrored(as: element)))
            }
        }
        return Mirror(
            self, children: children.map { (label: Optional($0.label), value: $0.value) }, displayStyle: .class,
            ancestorRepresentation: .suppressed)
    }
}

extension SlotValue {
    /// The value as a Swift type of its own, for a mirror.
    fileprivate func mirrored(as element: LayoutElement) -> Any {
        let type = element.primitive ?? .string
        switch self {
        case .object(let object): return object
        case .objects(let objects): return objects
        case .texts(let texts): return texts
        case .word(let word) where type.storage == .boolean: return word != 0
        case .word(let word) where type.storage == .integer: return Int(word)
        case .word(let word): return Self.literal(.word(word), type)
        case .text(let text): return Self.literal(.text(text), type)
        // The caller takes these apart.
        case .annotated(let primitive): return primitive.element
        case .annotatedTexts(let list): return list.texts
        }
    }

    private static func literal(_ literal: _PackedLiteral, _ type: PrimitiveType) -> Any {
        switch type {
        case .decimal: return FHIRDecimal(storage: literal)
        case .date: return FHIRDate(_storage: literal)
        case .dateTime: return FHIRDateTime(_storage: literal)
        case .instant: return FHIRInstant(_storage: literal)
        case .time: return FHIRTime(_storage: literal)
        default:
            if case .text(let text) = literal { return text }
            return ""
        }
    }
}

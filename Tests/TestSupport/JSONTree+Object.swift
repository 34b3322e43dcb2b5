#if RELEASE_TESTS
    // In the package of release tests, to which `package` symbols of this one are foreign.
    @testable import FireLiteCore
#else
    import FireLiteCore
#endif

extension JSONTree {
    /// The JSON that an object stands for, made from its slots without the library's writer.
    public init(_ object: FHIRObject) {
        var members: [String: JSONTree] = [:]
        let layout = object.layout
        if layout.isResource { members["resourceType"] = .string(layout.name) }
        object.forEachSlot { slot in
            let element = layout.elements[Int(slot.index)]
            let type = element.primitive ?? .string
            switch slot.value {
            case .word, .text: members[element.name] = Self.primitive(slot.value.literal(type), type)
            case .object(let child): members[element.name] = JSONTree(child)
            case .objects(let children): members[element.name] = .array(children.map { JSONTree($0) })
            case .texts(let texts): members[element.name] = .array(texts.map { Self.primitive($0, type) })
            case .annotated(let primitive):
                if let value = primitive.value { members[element.name] = Self.primitive(value.literal(type), type) }
                members["_\(element.name)"] = JSONTree(primitive.element)
            case .annotatedTexts(let list):
                let hasElements = list.elements.contains { $0 != nil }
                if !hasElements || list.texts.contains(where: { $0 != nil }) {
                    members[element.name] = .array(list.texts.map { Self.primitive($0, type) })
                }
                if hasElements { members["_\(element.name)"] = .array(list.elements.map { $0.map { JSONTree($0) } ?? .null }) }
            }
        }
        self = .object(members)
    }

    private static func primitive(_ literal: String?, _ type: PrimitiveType) -> JSONTree {
        guard let literal else { return .null }
        switch type {
        case .boolean: return .boolean(literal == "true")
        case .integer, .positiveInt, .unsignedInt, .decimal: return .number(literal)
        default: return .string(literal)
        }
    }
}

import Foundation

/// Writes objects into the containers of an `Encoder`, driven by their layouts.
enum FHIRObjectEncoder {
    typealias Container = KeyedEncodingContainer<FHIRCodingKey>

    static func encode(_ object: FHIRObject, _ container: inout Container) throws {
        let layout = object.layout
        if layout.isResource { try container.encode(layout.name, forKey: FHIRCodingKey("resourceType")) }
        try object.forEachSlot { try encode($0.value, layout.elements[Int($0.index)], &container) }
    }

    private static func encode(_ value: SlotValue, _ element: LayoutElement, _ container: inout Container) throws {
        let key = FHIRCodingKey(element.name)
        switch value {
        case .word, .text: try encode(Primitive(value, element), key, &container)
        case .object(let child):
            if child.hasContent { try container.encode(child, forKey: key) }
        case .objects(let children):
            let full = children.filter { $0.hasContent }
            if !full.isEmpty { try container.encode(full, forKey: key) }
        case .texts(let texts): try encode(texts.map { Primitive(.text($0), element) }, key, &container)
        case .annotated(let primitive):
            if let value = primitive.value { try encode(Primitive(value, element), key, &container) }
            if primitive.element.hasContent { try container.encode(primitive.element, forKey: FHIRCodingKey("_\(element.name)")) }
        case .annotatedTexts(let list):
            if list.texts.contains(where: { $0 != nil }) || list.elements.allSatisfy({ $0 == nil }) {
                try encode(list.texts.map { $0.map { Primitive(.text($0), element) } }, key, &container)
            }
            let elements = list.elements.map { $0.flatMap { $0.hasContent ? $0 : nil } }
            if elements.contains(where: { $0 != nil }) { try container.encode(elements, forKey: FHIRCodingKey("_\(element.name)")) }
        }
    }

    private static func encode(_ value: some Encodable, _ key: FHIRCodingKey, _ container: inout Container) throws {
        try container.encode(value, forKey: key)
    }

    /// A primitive's value as the coder's type for it.
    private struct Primitive: Encodable {
        let value: SlotValue
        let type: PrimitiveType

        init(_ value: SlotValue, _ element: LayoutElement) {
            self.value = value
            type = element.primitive ?? .string
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            let literal = value.literal(type) ?? ""
            switch type.storage {
            case .boolean: try container.encode(literal == "true")
            case .integer where type != .integer64:
                guard let number = Int64(literal) else { throw failure(encoder, "a whole number") }
                try container.encode(number)
            case .decimal: try encode(decimal: literal, encoder, &container)
            default: try container.encode(literal)
            }
        }

        private func encode(decimal literal: String, _ encoder: any Encoder, _ container: inout any SingleValueEncodingContainer) throws {
            let decimal = FHIRDecimal(literal)
            if let number = decimal?.decimalValue, number.isFinite {
                try container.encode(number)
            } else if let number = decimal?.doubleValue, number.isFinite {
                try container.encode(number)
            } else {
                throw failure(encoder, "a decimal in the range of Double")
            }
        }

        private func failure(_ encoder: any Encoder, _ expected: String) -> EncodingError {
            EncodingError.invalidValue(
                type.name, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "expected \(expected)"))
        }
    }
}

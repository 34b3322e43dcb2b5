import FireLiteCore

extension Item {
    /// The value as `toString()` gives it; nil for objects and primitives without a value.
    package var textValue: String? {
        switch self {
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value), .long(let value): return "\(value)"
        case .decimal(let value): return value.text
        case .string(let text): return text
        case .temporal(let value): return value.text
        case .quantity(let value): return value.literal
        case .text(let text, _): return text
        case .word(let word, let type): return SlotValue.word(word).literal(type)
        case .annotated(let primitive, let type): return primitive.value?.literal(type)
        case .object(let object): return object.pathQuantity?.literal
        case .type, .terminologies: return nil
        }
    }
}

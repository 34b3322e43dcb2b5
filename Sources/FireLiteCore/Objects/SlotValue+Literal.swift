extension SlotValue {
    /// The literal of a primitive's value, as kept in lists of primitives; nil for other values.
    package func literal(_ type: PrimitiveType) -> String? {
        switch self {
        case .text(let text): text
        case .word(let word):
            switch type.storage {
            case .boolean: word != 0 ? "true" : "false"
            case .integer: "\(word)"
            case .decimal: FHIRDecimal(storage: .word(word)).literal
            case .temporal: TemporalWord(raw: word).text
            case .text: nil
            }
        default: nil
        }
    }

    /// The value of a primitive from its literal; nil if it is not valid for the type.
    package init?(literal: String, _ type: PrimitiveType) {
        var literal = literal
        switch type.storage {
        case .text: self = .text(literal)
        case .boolean:
            guard literal == "true" || literal == "false" else { return nil }
            self = .word(literal == "true" ? 1 : 0)
        case .integer:
            guard let value = Int64(literal) else { return nil }
            self = .word(value)
        case .decimal:
            guard let decimal = FHIRDecimal(literal) else { return nil }
            switch decimal.storage {
            case .word(let word): self = .word(word)
            case .text(let text): self = .text(text)
            }
        case .temporal:
            switch literal.withUTF8({ TemporalWord.read($0, as: type) }) {
            case .word(let word): self = .word(word.raw)
            case .text: self = .text(literal)
            case .invalid: return nil
            }
        }
    }
}

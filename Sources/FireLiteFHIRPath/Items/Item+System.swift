import FireLiteCore

extension Item {
    /// The value in FHIRPath's own types: of a FHIR primitive, its value; nil if it has none. Objects stay themselves.
    package var system: Item? {
        switch self {
        case .word(let word, let type):
            switch type.storage {
            case .boolean: return .boolean(word != 0)
            case .integer: return type == .integer64 ? .long(word) : .integer(word)
            case .decimal: return PathDecimal(fhir: FHIRDecimal(storage: .word(word))).map { .decimal($0) }
            case .temporal: return .temporal(PathTemporal(TemporalWord(raw: word), type))
            case .text: return nil
            }
        case .text(let text, let type): return Self.system(text, type)
        case .annotated(let primitive, let type):
            switch primitive.value {
            case .word(let word): return Item.word(word, type).system
            case .text(let text): return Self.system(text, type)
            default: return nil
            }
        default: return self
        }
    }

    private static func system(_ text: String, _ type: PrimitiveType) -> Item? {
        switch type.storage {
        case .text: return .string(text)
        case .decimal: return FHIRDecimal(text).flatMap { PathDecimal(fhir: $0) }.map { .decimal($0) }
        case .temporal: return PathTemporal(text: text, of: type).map { .temporal($0) }
        case .boolean, .integer:
            guard case .word(let word)? = SlotValue(literal: text, type) else { return nil }
            return Item.word(word, type).system
        }
    }

    /// The value as operators see it: like `system`, and a FHIR `Quantity` is a quantity.
    var operand: Item? {
        guard case .object(let object) = self else { return system }
        return object.pathQuantity.map { .quantity($0) } ?? self
    }

    /// Whether it is a FHIR primitive.
    var isPrimitive: Bool { primitiveType != nil }

    /// The type of a FHIR primitive.
    package var primitiveType: PrimitiveType? {
        switch self {
        case .word(_, let type), .text(_, let type), .annotated(_, let type): type
        default: nil
        }
    }

    /// The id and extensions of a FHIR primitive.
    package var annotation: FHIRObject? {
        if case .annotated(let primitive, _) = self { return primitive.element }
        return nil
    }

    /// The object, or the id and extensions of a primitive.
    package var children: FHIRObject? {
        if case .object(let object) = self { return object }
        return annotation
    }

    /// The number, for integers and decimals.
    var number: PathDecimal? {
        switch self {
        case .integer(let value), .long(let value): PathDecimal(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// Whether a number or quantity is less than zero; nil for other values.
    var isNegative: Bool? {
        switch self {
        case .integer(let value), .long(let value): value < 0
        case .decimal(let value): value.value.isSignMinus
        case .quantity(let quantity): quantity.value.value.isSignMinus
        default: nil
        }
    }

    /// The number or quantity with the other sign; nil if its type has no such value: integers end at 2147483647. Also nil for other values.
    var negated: Item? {
        switch self {
        case .integer(let value): Int32(exactly: value).flatMap { $0 == .min ? nil : .integer(-Int64($0)) }
        case .long(let value): value == .min ? nil : .long(-value)
        case .decimal(let value): .decimal(value.negated)
        case .quantity(let quantity): .quantity(PathQuantity(value: quantity.value.negated, unit: quantity.unit))
        default: nil
        }
    }
}

extension FHIRObject {
    /// The quantity that an object of the type `Quantity`, or one derived from it, stands for; nil without a value.
    var pathQuantity: PathQuantity? {
        guard layout.isKind(of: "Quantity") else { return nil }
        guard let value = element("value")?.number else { return nil }
        // `<5 mg` is no number to compare with.
        if element("comparator") != nil { return nil }
        let code = string("code")
        let unit = string("unit")
        if code == nil, unit == nil { return PathQuantity(value: value, unit: .code("1")) }
        if string("system") == "http://hl7.org/fhirpath/CodeSystem/calendar-units", let name = code, let unit = CalendarUnit(word: name) {
            return PathQuantity(value: value, unit: .calendar(unit))
        }
        return PathQuantity(value: value, unit: .code(code ?? unit ?? "1"))
    }

    /// The system value of a to-one primitive by its name.
    func element(_ name: String) -> Item? {
        guard let element = layout.element(named: name), let type = element.primitive else { return nil }
        switch value(element.slot) {
        case .word(let word): return Item.word(word, type).system
        case .text(let text): return Item.text(text, type).system
        case .annotated(let primitive): return Item.annotated(primitive, type).system
        default: return nil
        }
    }

    /// The text of a to-one primitive by its name.
    func string(_ name: String) -> String? {
        guard case .string(let text)? = element(name) else { return nil }
        return text
    }
}

extension Layout {
    /// Whether it is the layout of the type or of one derived from it.
    package func isKind(of name: String) -> Bool {
        var layout: Layout? = self
        while let current = layout {
            if current.name == name { return true }
            layout = current.base
        }
        return false
    }
}

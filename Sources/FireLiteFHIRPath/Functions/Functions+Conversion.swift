extension Function {
    /// Conversions, each with a test whether it succeeds (FHIRPath 2.0, Conversion).
    static let conversion: [String: Function] = {
        var group: [String: Function] = [:]
        func add(_ type: String, _ result: ResultRule, _ convert: @escaping @Sendable (Item) -> Item?) {
            group["to\(type)"] = Function(0, result) { call, focus, _ in
                .optional(try call.single(focus).flatMap(\.operand).flatMap(convert))
            }
            group["convertsTo\(type)"] = Function(0, .boolean) { call, focus, _ in
                guard let item = try call.single(focus) else { return [] }
                return item.operand.flatMap(convert) == nil ? .no : .yes
            }
        }
        add("Boolean", .boolean) { $0.toBoolean.map { .boolean($0) } }
        add("Integer", .integer) { $0.toWhole.flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) } }
        add("Long", .unknown) { $0.toWhole.map { .long($0) } }
        add("Decimal", .decimal) { $0.toDecimal.map { .decimal($0) } }
        add("String", .string) { $0.textValue.map { .string($0) } }
        add("Date", .date) { $0.toTemporal(.date).map { .temporal($0) } }
        add("DateTime", .dateTime) { $0.toTemporal(.dateTime).map { .temporal($0) } }
        add("Time", .time) { $0.toTemporal(.time).map { .temporal($0) } }
        group["toQuantity"] = Function(0...1, .quantity) { call, focus, evaluator in
            guard let quantity = try call.single(focus).flatMap(\.operand)?.toQuantity else { return [] }
            guard call.arguments.count == 1 else { return [.quantity(quantity)] }
            return .optional(try call.text(0, evaluator).flatMap { quantity.converted(to: $0) }.map { .quantity($0) })
        }
        group["convertsToQuantity"] = Function(0...1, .boolean) { call, focus, evaluator in
            guard let item = try call.single(focus) else { return [] }
            guard let quantity = item.operand?.toQuantity else { return .no }
            guard call.arguments.count == 1 else { return .yes }
            return .truth(try call.text(0, evaluator).map { quantity.converted(to: $0) != nil })
        }
        return group
    }()
}

extension Item {
    fileprivate var toBoolean: Bool? {
        switch self {
        case .boolean(let value): return value
        case .integer(let value), .long(let value): return value == 1 ? true : value == 0 ? false : nil
        case .decimal(let value): return value.value == 1 ? true : value.isZero ? false : nil
        case .string(let text):
            switch text.lowercased() {
            case "true", "t", "yes", "y", "1", "1.0": return true
            case "false", "f", "no", "n", "0", "0.0": return false
            default: return nil
            }
        default: return nil
        }
    }

    /// The integer; of a text, one with digits and a sign alone.
    fileprivate var toWhole: Int64? {
        switch self {
        case .boolean(let value): return value ? 1 : 0
        case .integer(let value), .long(let value): return value
        case .string(let text):
            let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ Lexer.isDigit($0) }) else { return nil }
            return Int64(text)
        default: return nil
        }
    }

    fileprivate var toDecimal: PathDecimal? {
        switch self {
        case .boolean(let value): return PathDecimal(value ? 1 : 0)
        case .string(let text):
            guard !text.contains(where: { $0 == "e" || $0 == "E" }) else { return nil }
            return PathDecimal(text)
        default: return number
        }
    }

    fileprivate func toTemporal(_ kind: PathTemporal.Kind) -> PathTemporal? {
        switch self {
        case .temporal(let value):
            switch (kind, value.kind) {
            case (.time, .time), (.date, .date), (.dateTime, .dateTime): return value
            case (.date, .dateTime): return value.datePart
            case (.dateTime, .date): return value.asDateTime
            default: return nil
            }
        case .string(let text):
            if kind == .time { return PathTemporal(text: text.hasPrefix("T") ? String(text.dropFirst()) : text, .time) }
            if kind == .date, text.contains("T") { return PathTemporal(text: text, .dateTime)?.datePart }
            return PathTemporal(text: text, kind)
        default: return nil
        }
    }

    fileprivate var toQuantity: PathQuantity? {
        switch self {
        case .quantity(let quantity): quantity
        case .boolean(let value): PathQuantity(value: PathDecimal(value ? 1 : 0), unit: .code("1"))
        case .string(let text): PathQuantity(text: text)
        default: number.map { PathQuantity(value: $0, unit: .code("1")) }
        }
    }
}

extension PathQuantity {
    /// The quantity in another unit; nil if it cannot be converted.
    fileprivate func converted(to text: String) -> PathQuantity? {
        let wanted = CalendarUnit(word: text).map { PathUnit.calendar($0) } ?? .code(text)
        if wanted == unit { return self }
        guard let mine = UnitCache.unit(unit.code), let its = UnitCache.unit(wanted.code), mine.dimensions == its.dimensions else {
            return nil
        }
        return mine.convert(value, to: its).map { PathQuantity(value: $0, unit: wanted) }
    }
}

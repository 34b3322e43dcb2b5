import FireLiteCore

extension Item {
    /// How two values of FHIRPath's own types lie to each other; nil if that is open.
    ///
    /// - Throws: `FHIRPathError` with code `execution` for types that have no order or differ.
    static func order(_ left: Item, _ right: Item, at position: Int) throws -> PathTemporal.Order? {
        func order<Value: Comparable>(_ first: Value, _ second: Value) -> PathTemporal.Order {
            first < second ? .before : first == second ? .same : .after
        }
        switch (left, right) {
        case (.string(let first), .string(let second)):
            // By code points, which the bytes of UTF-8 are in the order of.
            if first.hasSameBytes(as: second) { return .same }
            return first.utf8.lexicographicallyPrecedes(second.utf8) ? .before : .after
        case (.integer(let first), .integer(let second)), (.long(let first), .long(let second)): return order(first, second)
        case (.temporal(let first), .temporal(let second)) where (first.kind == .time) == (second.kind == .time):
            return first.order(with: second)
        case (.quantity(let first), .quantity(let second)): return quantityOrder(first, second)
        case (.quantity(let first), _):
            if let number = right.number { return quantityOrder(first, PathQuantity(value: number, unit: .code("1"))) }
        case (_, .quantity(let second)):
            if let number = left.number { return quantityOrder(PathQuantity(value: number, unit: .code("1")), second) }
        default: if let first = left.number, let second = right.number { return order(first.value, second.value) }
        }
        throw FHIRPathError(.execution, "values of these types cannot be compared", at: position)
    }

    private static func quantityOrder(_ first: PathQuantity, _ second: PathQuantity) -> PathTemporal.Order? {
        guard let isLess = first.isLess(than: second) else { return nil }
        if isLess { return .before }
        return first.isEqual(to: second) == true ? .same : .after
    }
}

import FireLiteCore

extension Item {
    /// Whether two items are equal (`=`); nil if that cannot be said.
    static func areEqual(_ left: Item, _ right: Item) -> Bool? {
        if case .text(let first, let type) = left, type.storage == .text {
            if case .string(let second) = right { return first.hasSameBytes(as: second) }
            if case .text(let second, let other) = right, other.storage == .text { return first.hasSameBytes(as: second) }
        }
        if case .object(let first) = left, case .object(let second) = right { return areEqual(first, second) }
        guard let first = left.operand, let second = right.operand else { return areValueless(left, right) }
        switch (first, second) {
        case (.string(let one), .string(let two)): return one.hasSameBytes(as: two)
        case (.boolean(let one), .boolean(let two)): return one == two
        case (.integer(let one), .integer(let two)), (.long(let one), .long(let two)): return one == two
        case (.temporal(let one), .temporal(let two)): return one.isEqual(to: two)
        case (.quantity(let one), .quantity(let two)): return one.isEqual(to: two)
        case (.type(let one), .type(let two)): return one == two
        case (.object(let one), .object(let two)): return areEqual(one, two)
        case (.quantity(let quantity), _):
            return second.number.map { quantity.isEqual(to: PathQuantity(value: $0, unit: .code("1"))) ?? false } ?? false
        case (_, .quantity(let quantity)):
            return first.number.map { quantity.isEqual(to: PathQuantity(value: $0, unit: .code("1"))) ?? false } ?? false
        default:
            guard let one = first.number, let two = second.number else { return false }
            return one.value == two.value
        }
    }

    /// Primitives without values are equal if their ids and extensions are.
    private static func areValueless(_ left: Item, _ right: Item) -> Bool? {
        guard left.operand == nil, right.operand == nil else { return false }
        switch (left.annotation, right.annotation) {
        case (let first?, let second?): return areEqual(first, second)
        default: return false
        }
    }

    private static func areEqual(_ left: FHIRObject, _ right: FHIRObject) -> Bool? {
        if left === right || left.hasSameContent(as: right) { return true }
        guard left.layoutTable == right.layoutTable else {
            if let first = left.pathQuantity, let second = right.pathQuantity { return first.isEqual(to: second) }
            return false
        }
        let (first, second) = (left.childItems, right.childItems)
        guard first.count == second.count else { return false }
        for (mine, its) in zip(first, second) {
            guard mine.slot == its.slot else { return false }
            if areEqual(mine.item, its.item) != true { return false }
        }
        return true
    }

    /// Whether two items are equivalent (`~`).
    static func areEquivalent(_ left: Item, _ right: Item) -> Bool {
        guard let first = left.operand, let second = right.operand else { return areValueless(left, right) ?? false }
        switch (first, second) {
        case (.string(let one), .string(let two)): return one.foldedForEquivalence == two.foldedForEquivalence
        case (.boolean(let one), .boolean(let two)): return one == two
        case (.temporal(let one), .temporal(let two)): return one.isEquivalent(to: two)
        case (.quantity(let one), .quantity(let two)): return one.isEquivalent(to: two)
        case (.type(let one), .type(let two)): return one == two
        case (.object(let one), .object(let two)): return areEquivalent(one, two)
        case (.quantity(let quantity), _):
            return second.number.map { quantity.isEquivalent(to: PathQuantity(value: $0, unit: .code("1"))) } ?? false
        case (_, .quantity(let quantity)):
            return first.number.map { quantity.isEquivalent(to: PathQuantity(value: $0, unit: .code("1"))) } ?? false
        default:
            guard let one = first.number, let two = second.number else { return false }
            return one.isEquivalent(to: two)
        }
    }

    private static func areEquivalent(_ left: FHIRObject, _ right: FHIRObject) -> Bool {
        if left === right { return true }
        guard left.layoutTable == right.layoutTable else { return false }
        let (first, second) = (left.childItems, right.childItems)
        guard first.count == second.count else { return false }
        let names = Set(first.map(\.slot))
        return names == Set(second.map(\.slot))
            && names.allSatisfy { slot in
                areEquivalent(first.filter { $0.slot == slot }.map(\.item), second.filter { $0.slot == slot }.map(\.item))
            }
    }

    /// Whether two collections have equivalent items, in any order.
    static func areEquivalent(_ left: [Item], _ right: [Item]) -> Bool {
        guard left.count == right.count else { return false }
        var rest = right
        for item in left {
            guard let place = rest.firstIndex(where: { areEquivalent(item, $0) }) else { return false }
            rest.remove(at: place)
        }
        return true
    }

    /// Whether two collections have equal items in the same order; nil if that cannot be said, or if one of them is empty.
    static func areEqual(_ left: [Item], _ right: [Item]) -> Bool? {
        if left.isEmpty || right.isEmpty { return nil }
        guard left.count == right.count else { return false }
        var isOpen = false
        for (first, second) in zip(left, right) {
            switch areEqual(first, second) {
            case true?: continue
            case false?: return false
            case nil: isOpen = true
            }
        }
        return isOpen ? nil : true
    }
}

extension String {
    /// The text in small letters, with each run of white space as one blank.
    var foldedForEquivalence: String { lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

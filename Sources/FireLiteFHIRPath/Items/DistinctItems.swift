import FireLiteCore

/// Items without repetition, by `=`. Large collections are looked up by a hash that equal items share.
struct DistinctItems {
    private(set) var items: [Item] = []
    /// The number of items that were compared with others. Equal quantities may be written in many ways, so each is compared with all.
    private(set) var comparisons = 0
    private var places: [Int: [Int]]?

    /// From so many items on, hashing is faster than comparing each with each.
    private static let hashedFrom = 12

    /// Adds an item unless an equal one is there; returns whether it was added.
    @discardableResult
    mutating func insert(_ item: Item) -> Bool {
        comparisons += places.map { $0[item.equalityHash]?.count ?? 0 } ?? items.count
        if contains(item) { return false }
        items.append(item)
        if places != nil {
            places?[item.equalityHash, default: []].append(items.count - 1)
        } else if items.count >= Self.hashedFrom {
            var table: [Int: [Int]] = [:]
            for (place, item) in items.enumerated() { table[item.equalityHash, default: []].append(place) }
            places = table
        }
        return true
    }

    /// Whether an equal item is there.
    func contains(_ item: Item) -> Bool {
        guard let places else { return items.contains { Item.areEqual($0, item) == true } }
        return places[item.equalityHash]?.contains { Item.areEqual(items[$0], item) == true } ?? false
    }
}

extension Item {
    /// A hash that items share if they are equal.
    var equalityHash: Int {
        var hasher = Hasher()
        switch operand {
        case .string(let text)?: hasher.combine(text)
        case .boolean(let value)?: hasher.combine(value)
        case .integer(let value)?, .long(let value)?: hasher.combine(PathDecimal(value).value)
        case .decimal(let value)?: hasher.combine(value.value)
        case .object(let object)?: object.combine(into: &hasher)
        case .temporal(let value)?: hasher.combine(value.equalityParts)
        // Equal ones may be written in many ways.
        case .quantity?: return 0
        case .type(let type)?: hasher.combine(type)
        case .terminologies?, .word?, .text?, .annotated?, nil: hasher.combine(2)
        }
        return hasher.finalize()
    }
}

extension FHIRObject {
    /// The class and the texts directly in the object; numbers and dates are left out, as equal ones may be written differently.
    fileprivate func combine(into hasher: inout Hasher) {
        hasher.combine(layoutTable)
        for slot in slotRun where layoutTable.pointee.entries[Int(slot.index)].storage == .text {
            switch slot.value {
            case .text(let text): hasher.combine(text)
            case .annotated(let primitive): if case .text(let text)? = primitive.value { hasher.combine(text) }
            default: continue
            }
        }
    }
}

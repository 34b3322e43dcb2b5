import FireLiteCore

/// An item of a list that is merged.
enum MergeItem {
    case text(String)
    case object(FHIRObject)

    /// The items of a list; nil for a list of primitives with extensions, which is merged as a whole.
    static func items(_ value: SlotValue?) -> [MergeItem]? {
        switch value {
        case nil: []
        case .texts(let texts): texts.map { .text($0) }
        case .objects(let objects): objects.map { .object($0) }
        case .text(let text): [.text(text)]
        case .object(let object): [.object(object)]
        default: nil
        }
    }

    /// A list of items; nil if there are none.
    static func value(of items: [MergeItem]) -> SlotValue? {
        guard let first = items.first else { return nil }
        switch first {
        case .text: return .texts(items.compactMap { if case .text(let text) = $0 { text } else { nil } })
        case .object: return .objects(items.compactMap { if case .object(let object) = $0 { object } else { nil } })
        }
    }

    func json(_ type: PrimitiveType?) -> String {
        switch self {
        case .text(let text): JSONText.primitive(text, type)
        case .object(let object): FHIRJSON.string(object)
        }
    }

    func isSame(as other: MergeItem) -> Bool {
        switch (self, other) {
        case (.text(let first), .text(let second)): first == second
        case (.object(let first), .object(let second)): first == second
        default: false
        }
    }

    /// `Element.id`, or the id of a contained resource.
    private var id: String? {
        guard case .object(let object) = self else { return nil }
        return object.layout.element(named: "id").flatMap { object._string($0.slot) }
    }

    // MARK: - Matching

    /// Which item of a later list is which of an earlier one, by their places.
    static func matches(_ old: [MergeItem], _ new: [MergeItem]) -> [Int: Int] {
        var matches: [Int: Int] = [:]
        var taken: Set<Int> = []
        func match(_ first: Int, _ second: Int) {
            matches[first] = second
            taken.insert(second)
        }
        for (first, item) in old.enumerated() {
            guard let id = item.id, let second = new.firstIndex(where: { $0.id == id }), !taken.contains(second) else { continue }
            match(first, second)
        }
        for (first, second) in common(old, new) where matches[first] == nil && !taken.contains(second) { match(first, second) }
        // Between two pairs, what is left is taken for changed items: in order if there are as many, else by what they have in common.
        var (low, start) = (0, 0)
        for first in 0...old.count {
            guard first == old.count || matches[first] != nil else { continue }
            let end = first == old.count ? new.count : matches[first] ?? new.count
            if low < first, start < end {
                let left = (low..<first).filter { matches[$0] == nil && old[$0].id == nil }
                let right = (start..<end).filter { !taken.contains($0) && new[$0].id == nil }
                for (one, other) in pairs(left, right: right, old: old, new: new) { match(one, other) }
            }
            (low, start) = (first + 1, max(end + 1, start))
        }
        return matches
    }

    private static func pairs(_ left: [Int], right: [Int], old: [MergeItem], new: [MergeItem]) -> [(Int, Int)] {
        if left.count == right.count { return Array(zip(left, right)) }
        var pairs: [(Int, Int)] = []
        var free = right
        for first in left {
            let best = free.max { old[first].likeness(to: new[$0]) < old[first].likeness(to: new[$1]) }
            guard let best, old[first].likeness(to: new[best]) > 0 else { continue }
            pairs.append((first, best))
            free.removeAll { $0 == best }
        }
        return pairs
    }

    /// The number of equal elements.
    private func likeness(to other: MergeItem) -> Int {
        guard case .object(let first) = self, case .object(let second) = other, first.layoutTable == second.layoutTable else { return 0 }
        return first.layout.elements.count { element in
            guard let one = first.value(element.slot), let two = second.value(element.slot) else { return false }
            return one.hasSameContent(as: two)
        }
    }

    /// Lists with more pairs than this are compared only at their beginning and end.
    private static let maximumPairs = 1 << 18

    /// The longest sequence of equal items that both have in this order.
    private static func common(_ old: [MergeItem], _ new: [MergeItem]) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var start = 0
        while start < old.count, start < new.count, old[start].isSame(as: new[start]) {
            pairs.append((start, start))
            start += 1
        }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1].isSame(as: new[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
            pairs.append((oldEnd, newEnd))
        }
        let (rows, columns) = (oldEnd - start, newEnd - start)
        guard rows > 0, columns > 0, rows * columns <= maximumPairs else { return pairs }
        var lengths = [[Int]](repeating: [Int](repeating: 0, count: columns + 1), count: rows + 1)
        for row in (0..<rows).reversed() {
            for column in (0..<columns).reversed() {
                lengths[row][column] =
                    old[start + row].isSame(as: new[start + column])
                    ? lengths[row + 1][column + 1] + 1 : max(lengths[row + 1][column], lengths[row][column + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            if old[start + row].isSame(as: new[start + column]) {
                pairs.append((start + row, start + column))
                row += 1
                column += 1
            } else if lengths[row + 1][column] >= lengths[row][column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return pairs
    }
}

/// Items in sections at one moment, by their identities: what tables and collections show.
///
/// It fills an `NSDiffableDataSourceSnapshot` section by section; ``changes(from:)`` returns the batch updates for tables without one.
public struct SectionedSnapshot<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable, Hashable {
    /// The identities of the sections, in order.
    public private(set) var sections: [Section] = []
    /// The identities of the items of each section.
    public private(set) var items: [Section: [Item]] = [:]

    /// A snapshot without sections.
    public init() {}

    /// Sections of items in their order. A section begins at the first item that has its key; later items with the key go to its end.
    ///
    /// - Parameters:
    ///   - elements: the items.
    ///   - section: the key of an item's section.
    ///   - item: the identity of an item. An item whose identity occurred before is skipped.
    public init<Element>(_ elements: some Sequence<Element>, section: (Element) -> Section, item: (Element) -> Item) {
        var seen: Set<Item> = []
        for element in elements {
            let (key, identity) = (section(element), item(element))
            guard seen.insert(identity).inserted else { continue }
            if items[key] == nil { sections.append(key) }
            items[key, default: []].append(identity)
        }
    }

    /// The number of all items.
    public var count: Int { items.values.reduce(0) { $0 + $1.count } }

    private var places: [Item: SectionChanges.Place] {
        var places: [Item: SectionChanges.Place] = [:]
        for (index, section) in sections.enumerated() {
            for (position, item) in (items[section] ?? []).enumerated() {
                places[item] = SectionChanges.Place(section: index, item: position)
            }
        }
        return places
    }

    // MARK: - Changes

    /// The batch updates for tables and collections that turn an earlier snapshot into this one. Deletions and the starts of moves are
    /// places in the earlier snapshot; insertions and the ends of moves are places in this one. Items of deleted and inserted sections
    /// are not listed.
    ///
    /// - Complexity: O(n log n) in the number of items.
    public func changes(from earlier: SectionedSnapshot) -> SectionChanges {
        var changes = SectionChanges()
        let oldSections = Self.indexes(earlier.sections)
        let newSections = Self.indexes(sections)
        for (index, section) in earlier.sections.enumerated() where newSections[section] == nil { changes.deletedSections.append(index) }
        for (index, section) in sections.enumerated() where oldSections[section] == nil { changes.insertedSections.append(index) }
        let common = sections.filter { oldSections[$0] != nil }
        let stays = IncreasingRun.members(of: common.map { oldSections[$0] ?? 0 })
        for (position, section) in common.enumerated() where !stays[position] {
            changes.movedSections.append(.init(from: oldSections[section] ?? 0, to: newSections[section] ?? 0))
        }
        addItems(from: earlier, oldSections, newSections, to: &changes)
        return changes
    }

    private func addItems(
        from earlier: SectionedSnapshot, _ oldSections: [Section: Int], _ newSections: [Section: Int], to changes: inout SectionChanges
    ) {
        let (oldPlaces, newPlaces) = (earlier.places, places)
        for (index, section) in earlier.sections.enumerated() where newSections[section] != nil {
            for (position, item) in (earlier.items[section] ?? []).enumerated() {
                // What goes to a new section comes with it.
                let isKept = newPlaces[item].map { oldSections[sections[$0.section]] != nil } ?? false
                if !isKept { changes.deletedItems.append(.init(section: index, item: position)) }
            }
        }
        for (index, section) in sections.enumerated() where oldSections[section] != nil {
            let list = items[section] ?? []
            // Items that were in the section before, whose order tells which of them move.
            let own = list.indices.filter { oldPlaces[list[$0]].map { earlier.sections[$0.section] == section } ?? false }
            let stays = IncreasingRun.members(of: own.map { oldPlaces[list[$0]]?.item ?? 0 })
            let moved = Set(zip(own, stays).filter { !$1 }.map(\.0))
            let ownSet = Set(own)
            for (position, item) in list.enumerated() {
                let place = SectionChanges.Place(section: index, item: position)
                guard let old = oldPlaces[item], newSections[earlier.sections[old.section]] != nil else {
                    changes.insertedItems.append(place)
                    continue
                }
                if !ownSet.contains(position) || moved.contains(position) {
                    changes.movedItems.append(.init(from: old, to: place))
                }
            }
        }
    }

    private static func indexes(_ sections: [Section]) -> [Section: Int] {
        Dictionary(uniqueKeysWithValues: sections.enumerated().map { ($1, $0) })
    }
}

/// How sections and their items changed, as batch updates.
public struct SectionChanges: Sendable, Hashable {
    /// The place of an item.
    public struct Place: Sendable, Hashable {
        /// The index of the section.
        public let section: Int
        /// The index of the item in it.
        public let item: Int
    }

    /// A move of a section or an item.
    public struct Move<Position: Sendable & Hashable>: Sendable, Hashable {
        /// Where it was.
        public let from: Position
        /// Where it is.
        public let to: Position
    }

    /// Indexes in the earlier snapshot.
    public internal(set) var deletedSections: [Int] = []
    /// Indexes in the later snapshot.
    public internal(set) var insertedSections: [Int] = []
    /// Sections whose order changed.
    public internal(set) var movedSections: [Move<Int>] = []
    /// Places in the earlier snapshot.
    public internal(set) var deletedItems: [Place] = []
    /// Places in the later snapshot.
    public internal(set) var insertedItems: [Place] = []
    /// Items whose order or section changed.
    public internal(set) var movedItems: [Move<Place>] = []

    /// Whether nothing changed.
    public var isEmpty: Bool { self == SectionChanges() }
}

/// The longest run of rising numbers in a list: what stays when the others move.
enum IncreasingRun {
    /// Whether each of different numbers belongs to it.
    static func members(of numbers: [Int]) -> [Bool] {
        // For each length of a run the index at which the one with the least end ends.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var isMember = [Bool](repeating: false, count: numbers.count)
        var next = ends.last
        while let index = next {
            isMember[index] = true
            next = previous[index]
        }
        return isMember
    }
}

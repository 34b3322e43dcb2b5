/// The position of a value or list in a walk through the object of a row: up to eight steps in two words, so that comparing takes no loop.
struct WalkKey {
    static let maximumSteps = 8

    private(set) var high: UInt64 = 0
    private(set) var low: UInt64 = 0

    init() {}

    /// - Returns: nil if there are too many steps.
    init?(_ steps: [UInt16]) {
        guard steps.count <= Self.maximumSteps else { return nil }
        for (place, step) in steps.enumerated() { put(step, at: place) }
    }

    private mutating func put(_ step: UInt16, at place: Int) {
        if place < 4 { high |= UInt64(step) << UInt64(48 - 16 * place) } else { low |= UInt64(step) << UInt64(48 - 16 * (place - 4)) }
    }

    /// The position with one more step, after `count` of them.
    @inline(__always)
    func followed(by step: Int, after count: Int) -> WalkKey {
        var key = self
        key.put(UInt16(truncatingIfNeeded: step), at: count)
        return key
    }

    @inline(__always)
    static func < (left: WalkKey, right: WalkKey) -> Bool { left.high != right.high ? left.high < right.high : left.low < right.low }

    @inline(__always)
    static func == (left: WalkKey, right: WalkKey) -> Bool { left.high == right.high && left.low == right.low }
}

/// The positions of a table's values and inlined objects, for `RowEncoder`.
struct RowWalk {
    /// An inlined object.
    struct Group {
        let key: WalkKey
        /// The number of steps of the key.
        let length: Int
        /// The number of objects around it.
        let depth: Int
        /// Whether it is neither the `Element` of a primitive nor inside one, nor too deep for a key.
        let isPlain: Bool
    }

    /// For each source of the columns.
    let keys: UnsafeBufferPointer<WalkKey>
    /// For each group of the columns.
    let groups: UnsafeBufferPointer<Group>

    init(_ columns: RowColumns) {
        let plan = columns.plan
        let keys = columns.sources.map { WalkKey(plan.columns[Int($0.column)].key) ?? WalkKey() }
        var groups: [Group] = []
        for group in plan.groups.prefix(columns.groups.count) {
            let outer = group.parent.map { groups[$0.index] }
            // A list in the object adds a step.
            let key = group.key.count < WalkKey.maximumSteps ? WalkKey(group.key) : nil
            let isPlain = key != nil && !group.isAnnotation && outer?.isPlain ?? true
            groups.append(
                Group(
                    key: key ?? WalkKey(), length: group.key.count, depth: outer.map { $0.depth + 1 } ?? 0, isPlain: isPlain))
        }
        self.keys = Self.copy(of: keys)
        self.groups = Self.copy(of: groups)
    }

    func deallocate() {
        keys.deallocate()
        groups.deallocate()
    }

    private static func copy<Element>(of elements: [Element]) -> UnsafeBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = copy.initialize(fromContentsOf: elements)
        return UnsafeBufferPointer(copy)
    }
}

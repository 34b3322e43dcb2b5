import FireLiteCore

/// An object inlined in a row: the row's own object, or a to-one element of it at any depth.
final class GroupPlan {
    /// The storage of a slot of the object. Empty until data needs it.
    struct Member {
        var main: Int32 = -1
        var aside: Int32 = -1
        /// A to-one complex element, or the `Element` of a primitive, retained by its table.
        var group: Unmanaged<GroupPlan>?
        /// The table of a repeating element, retained by the schema.
        var child: Unmanaged<TablePlan>?
        /// Whether another list of the object shares that table, so that rows must name their list.
        var sharesChild = false
    }

    unowned(unsafe) let table: TablePlan
    let index: Int
    let layout: Layout
    /// The object this one is an element of; nil for the row's own.
    unowned(unsafe) let parent: GroupPlan?
    let parentSlot: Int
    /// Whether it is the `Element` of the primitive in the slot.
    let isAnnotation: Bool
    /// The column prefix: `period_`.
    let prefix: String
    let key: [UInt16]
    /// The layout's entries, for access without reference counting.
    let entries: UnsafePointer<ElementEntry>
    /// One entry for each slot.
    let members: UnsafeMutablePointer<Member>
    @exclusivity(unchecked) var pkColumn: Int32 = -1

    init(
        table: TablePlan, index: Int, layout: Layout, parent: GroupPlan?, parentSlot: Int, isAnnotation: Bool, prefix: String, key: [UInt16]
    ) {
        self.table = table
        self.index = index
        self.layout = layout
        self.parent = parent
        self.parentSlot = parentSlot
        self.isAnnotation = isAnnotation
        self.prefix = prefix
        self.key = key
        entries = layout.table.pointee.entries
        members = .allocate(capacity: max(layout.elements.count, 1))
        members.initialize(repeating: Member(), count: layout.elements.count)
    }

    deinit { members.deallocate() }

    var slotCount: Int { layout.table.pointee.count }

    /// The position of a slot's column among the object's: a value, its second column, and its `Element` are adjacent.
    func key(slot: Int, part: Int) -> [UInt16] { key + [UInt16((slot + 1) * 4 + part)] }

    /// The member path within the row, for `_member`: `response.outcome`.
    func path(to slot: Int) -> String { prefix.replacingBytes("_", with: ".") + layout.elements[slot].name }
}

// Plans without reference counting, for every value written to a table.

extension Unmanaged where Instance == GroupPlan {
    @inline(__always)
    var entries: UnsafePointer<ElementEntry> { _withUnsafeGuaranteedRef { $0.entries } }

    @inline(__always)
    var members: UnsafeMutablePointer<GroupPlan.Member> { _withUnsafeGuaranteedRef { $0.members } }

    @inline(__always)
    func mainColumn(_ slot: Int) -> Int32 {
        let known = members[slot].main
        return known >= 0 ? known : make { $0.table.mainColumn($0, slot) }
    }

    @inline(__always)
    func asideColumn(_ slot: Int) -> Int32 {
        let known = members[slot].aside
        return known >= 0 ? known : make { $0.table.asideColumn($0, slot) }
    }

    /// The object inlined for a to-one complex element.
    @inline(__always)
    func group(_ slot: Int) -> Unmanaged<GroupPlan> {
        members[slot].group ?? make { .passUnretained($0.table.group($0, slot, elementLayout: nil)) }
    }

    /// The slow path, taken once for a slot.
    @inline(never)
    private func make<Made>(_ body: (GroupPlan) -> Made) -> Made { body(takeUnretainedValue()) }

    func path(to slot: Int) -> String { takeUnretainedValue().path(to: slot) }
}

extension Unmanaged where Instance == TablePlan {
    /// The number of the table to which a row is about to be added.
    @inline(__always)
    func beginRow() -> Int {
        _withUnsafeGuaranteedRef {
            $0.isNeeded = true
            return $0.index
        }
    }

    @inline(__always)
    var root: Unmanaged<GroupPlan> { _withUnsafeGuaranteedRef { $0.rootReference } }

    @inline(__always)
    var isTooWide: Bool { _withUnsafeGuaranteedRef { $0.columns.count > StorageSchema.maximumColumns } }
}

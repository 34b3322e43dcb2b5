import FireLiteCore
import FireLiteSQLiteBridge

/// The columns of one table's rows as they are read, and the elements of their values.
final class RowColumns {
    /// One column of the result: a value of an inlined object.
    struct Source {
        let column: Int32
        let group: Int32
        let slot: Int32
        let role: ColumnPlan.Role
        let storage: PrimitiveStorage
        let primitive: PrimitiveType
        /// Whether the next column is this value's second column.
        let hasAside: Bool
    }

    /// An object inlined in the rows: its class and its owner.
    struct Group {
        let type: FHIRObject.Type
        let layoutTable: UnsafePointer<LayoutTable>
        let parent: Int
        let parentSlot: Int
        let isAnnotation: Bool
        /// The maximum number of values that an object read from here had: the capacity for the next one.
        private(set) var expectedSlots: Int32 = 0

        @inline(__always)
        mutating func note(_ object: FHIRObject) {
            let count = Int32(truncatingIfNeeded: object.filledSlotCount)
            if count > expectedSlots { expectedSlots = count }
        }
    }

    /// Keeps these columns alive; a counted reference here would be a cycle.
    unowned(unsafe) let plan: TablePlan
    let table: Unmanaged<TablePlan>
    /// The number of the table.
    let tableIndex: Int32
    // Plain memory, as arrays would be retained and checked at every value. What a row needs lies together, as much of it is not cached.
    let groups: UnsafeMutableBufferPointer<Group>
    let sources: UnsafeBufferPointer<Source>
    let hasMember: Bool
    let isPrimitive: Bool
    /// The table of the rows that own this table's rows, unless the element is recursive, and the list that they form.
    let owner: UnsafeMutableRawPointer?
    let ownerGroup: Int
    let ownerSlot: Int
    /// The columns that a statement selects from the table.
    let selection: String
    /// The first results, before the columns: `_k`, `_parent`, `_ord`.
    static let fixedColumns = 3

    init(_ plan: TablePlan) {
        self.plan = plan
        table = .passUnretained(plan)
        tableIndex = Int32(truncatingIfNeeded: plan.index)
        let order = plan.columns.indices.sorted { plan.columns[$0].key.lexicographicallyPrecedes(plan.columns[$1].key) }
        var sources = ContiguousArray<Source>()
        for (position, index) in order.enumerated() {
            let column = plan.columns[index]
            let primitive =
                column.slot >= 0 ? plan.groups[column.group].layout.elements[column.slot].primitive ?? .string : plan.primitive ?? .string
            let next = position + 1 < order.count ? plan.columns[order[position + 1]] : nil
            let hasAside = next.map { $0.role == .aside && $0.group == column.group && $0.slot == column.slot } ?? false
            sources.append(
                Source(
                    column: Int32(index), group: Int32(column.group), slot: Int32(column.slot), role: column.role,
                    storage: primitive.storage,
                    primitive: primitive, hasAside: hasAside && column.role == .main))
        }
        let groups = plan.groups.map {
            Group(
                type: $0.layout.type, layoutTable: $0.layout.table, parent: $0.parent?.index ?? 0, parentSlot: $0.parentSlot,
                isAnnotation: $0.isAnnotation)
        }
        owner = plan.owner.map { Unmanaged.passUnretained($0).toOpaque() }
        ownerGroup = plan.ownerGroup?.index ?? 0
        ownerSlot = plan.ownerSlot
        hasMember = plan.memberColumn >= 0
        isPrimitive = plan.primitive != nil
        selection = "_k,_parent,_ord" + order.map { "," + plan.columns[$0].quotedName }.joined()
        self.sources = UnsafeBufferPointer(Self.copy(of: sources))
        self.groups = Self.copy(of: groups)
    }

    /// The positions of its values, for `RowEncoder`.
    @exclusivity(unchecked) private(set) var walk: RowWalk?

    func prepareWalk() { if walk == nil { walk = RowWalk(self) } }

    deinit {
        walk?.deallocate()
        sources.deallocate()
        groups.deallocate()
    }

    private static func copy<Element>(of elements: some Collection<Element>) -> UnsafeMutableBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = copy.initialize(fromContentsOf: elements)
        return copy
    }

    /// The number of results of a statement for the table.
    var count: Int { Self.fixedColumns + sources.count }
}

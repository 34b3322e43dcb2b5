import FireLiteCore
import FireLiteSQLiteBridge

/// A table: of a resource type, of a repeating complex element, or of a repeating primitive.
///
/// A plan exists as soon as a path is used; the table itself, and each column, is created when data first needs it.
final class TablePlan {
    let name: String
    /// The name as an SQL identifier.
    let quotedName: String
    /// Its number in the schema, which rows and shapes use.
    let index: Int
    /// The table of the rows that own its rows; nil for a resource type.
    let owner: TablePlan?
    /// The object and slot in the owner's row whose list its rows are.
    let ownerGroup: GroupPlan?
    let ownerSlot: Int
    /// The type of a list of primitives.
    let primitive: PrimitiveType?
    /// The number of steps from a resource type: owners are read before their elements.
    let depth: Int
    @exclusivity(unchecked) private(set) var groups: [GroupPlan] = []
    @exclusivity(unchecked) private(set) var columns: [ColumnPlan] = []
    /// The number of columns in the file; the others are new.
    var fileColumns = 0
    var isInFile = false
    /// Whether rows are waiting to be written to it.
    @exclusivity(unchecked) var isNeeded = false
    /// The columns of a list of primitives' values.
    @exclusivity(unchecked) private(set) var valueColumn: Int32 = -1
    @exclusivity(unchecked) private(set) var valueAside: Int32 = -1
    @exclusivity(unchecked) private(set) var memberColumn: Int32 = -1
    /// A number that identifies sets of tables: the mark of a set is the exclusive or of its tables' marks.
    let mark: UInt64
    /// Compiled statements; dropped when a column is added.
    @exclusivity(unchecked) var statements = TableStatements()
    /// `root`, for access without reference counting.
    @exclusivity(unchecked) private(set) var rootReference: Unmanaged<GroupPlan>!
    private var links: [Int: (group: GroupPlan, slot: Int)] = [:]

    init(
        name: String, index: Int, layout: Layout, primitive: PrimitiveType?, owner: TablePlan?, ownerGroup: GroupPlan?, ownerSlot: Int
    ) {
        self.name = name
        quotedName = quoted(name)
        self.index = index
        self.owner = owner
        self.ownerGroup = ownerGroup
        self.ownerSlot = ownerSlot
        self.primitive = primitive
        depth = (owner?.depth ?? -1) + 1
        mark = Self.mark(index)
        groups = [
            GroupPlan(table: self, index: 0, layout: layout, parent: nil, parentSlot: 0, isAnnotation: false, prefix: "", key: [])
        ]
        rootReference = .passUnretained(groups[0])
    }

    /// Pseudo-random bits (SplitMix64), as random ones take a system call each.
    private static func mark(_ index: Int) -> UInt64 {
        var bits = UInt64(truncatingIfNeeded: index + 1) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// The object of the row itself; for a list of primitives, the `Element` of the position.
    var root: GroupPlan { groups[0] }

    var isResource: Bool { owner == nil }

    // MARK: - Definitions

    /// The statement that creates the table with the first of its columns.
    func creation(columns count: Int) -> String {
        let definitions = columns.prefix(count).map { ", \($0.quotedName) \($0.declaredType)" }.joined()
        return "CREATE TABLE \(quotedName)(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER\(definitions))"
    }

    /// The statement that creates a resource type's index of ids.
    var idIndexCreation: String { "CREATE INDEX \(quoted(name + "__id")) ON \(quotedName)(id, _parent)" }

    // MARK: - Columns

    private func addColumn(_ name: String, role: ColumnPlan.Role, group: GroupPlan, slot: Int, key: [UInt16], type: String)
        -> Int32
    {
        columns.append(ColumnPlan(name: name, role: role, group: group.index, slot: slot, key: key, declaredType: type))
        return Int32(columns.count - 1)
    }

    private static func declaredType(_ primitive: PrimitiveType) -> String {
        switch primitive.storage {
        case .boolean, .integer: "INTEGER"
        case .decimal: "REAL"
        case .temporal, .text: "TEXT"
        }
    }

    /// The suffix of a second column.
    static func asideSuffix(_ primitive: PrimitiveType) -> String { primitive.storage == .decimal ? "_literal" : "_offset" }

    private static func asideType(_ primitive: PrimitiveType) -> String { primitive.storage == .decimal ? "TEXT" : "INTEGER" }

    func mainColumn(_ group: GroupPlan, _ slot: Int) -> Int32 {
        let known = group.members[slot].main
        if known >= 0 { return known }
        let element = group.layout.elements[slot]
        let column = addColumn(
            group.prefix + element.name, role: .main, group: group, slot: slot, key: group.key(slot: slot, part: 0),
            type: Self.declaredType(element.primitive ?? .string)
        )
        group.members[slot].main = column
        return column
    }

    func asideColumn(_ group: GroupPlan, _ slot: Int) -> Int32 {
        let known = group.members[slot].aside
        if known >= 0 { return known }
        let element = group.layout.elements[slot]
        let primitive = element.primitive ?? .string
        let column = addColumn(
            group.prefix + element.name + Self.asideSuffix(primitive), role: .aside, group: group, slot: slot,
            key: group.key(slot: slot, part: 1),
            type: Self.asideType(primitive))
        group.members[slot].aside = column
        return column
    }

    func pkColumn(_ group: GroupPlan) -> Int32 {
        if group.pkColumn < 0 {
            group.pkColumn = addColumn(group.prefix + "_pk", role: .pk, group: group, slot: 0, key: group.key + [3], type: "TEXT")
        }
        return group.pkColumn
    }

    func memberColumnIndex() -> Int32 {
        if memberColumn < 0 { memberColumn = addColumn("_member", role: .member, group: root, slot: 0, key: [], type: "TEXT") }
        return memberColumn
    }

    func valueColumnIndex() -> Int32 {
        if valueColumn < 0 {
            valueColumn = addColumn("value", role: .main, group: root, slot: -1, key: [1], type: Self.declaredType(primitive ?? .string))
        }
        return valueColumn
    }

    func valueAsideIndex() -> Int32 {
        let type = primitive ?? .string
        if valueAside < 0 {
            valueAside = addColumn(
                "value" + Self.asideSuffix(type), role: .aside, group: root, slot: -1, key: [2], type: Self.asideType(type))
        }
        return valueAside
    }

    /// The object inlined for a to-one element, or for the `Element` of a primitive.
    func group(_ parent: GroupPlan, _ slot: Int, elementLayout: Layout?) -> GroupPlan {
        if let known = parent.members[slot].group { return known.takeUnretainedValue() }
        let element = parent.layout.elements[slot]
        let group = GroupPlan(
            table: self, index: groups.count, layout: elementLayout ?? element.layout ?? parent.layout, parent: parent,
            parentSlot: slot, isAnnotation: elementLayout != nil, prefix: parent.prefix + element.name + "_",
            key: parent.key(slot: slot, part: elementLayout == nil ? 0 : 2))
        groups.append(group)
        parent.members[slot].group = .passUnretained(group)
        return group
    }

    /// Discards columns that are not in the file, after a failure.
    func dropPendingColumns() {
        statements = TableStatements()
        guard columns.count > fileColumns else { return }
        columns.removeLast(columns.count - fileColumns)
        let limit = Int32(fileColumns)
        for group in groups {
            if group.pkColumn >= limit { group.pkColumn = -1 }
            for slot in 0..<group.slotCount {
                if group.members[slot].main >= limit { group.members[slot].main = -1 }
                if group.members[slot].aside >= limit { group.members[slot].aside = -1 }
            }
        }
        if valueColumn >= limit { valueColumn = -1 }
        if valueAside >= limit { valueAside = -1 }
        if memberColumn >= limit { memberColumn = -1 }
    }

    /// Takes note that the table is not in the file, or that nothing is known of it.
    func leaveFile() {
        fileColumns = 0
        isInFile = false
        dropPendingColumns()
    }

    // MARK: - Deleting

    /// Deletes the rows with keys in a range.
    func deleteRows(_ keys: ClosedRange<Int64>, _ connection: Connection) throws {
        let statement = try statements.delete ?? connection.prepare("DELETE FROM \(quotedName) WHERE _k BETWEEN ? AND ?")
        statements.delete = statement
        statement.bind(1, keys.lowerBound)
        statement.bind(2, keys.upperBound)
        try statement.run()
    }

    // MARK: - Links

    /// The list of a row of `owner` that the rows of this table are.
    func link(from owner: TablePlan) -> (group: GroupPlan, slot: Int)? {
        if owner === self.owner, let ownerGroup { return (ownerGroup, ownerSlot) }
        if let known = links[owner.index] { return known }
        for group in owner.groups {
            for element in group.layout.elements where element.isList && element.kind == .object && element.typeName == root.layout.name {
                links[owner.index] = (group, element.slot)
                return (group, element.slot)
            }
        }
        return nil
    }
}

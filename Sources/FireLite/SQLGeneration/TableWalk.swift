import FireLiteCore
import FireLiteSQLiteBridge

/// Leads from an object in the tables to its elements: which column, which part of the row, which rows of another table. Queries and views go through
/// it, so there is one answer to which rows belong to which, and when an object is there.
package final class TableWalk {
    /// What is done about tables and columns that the file does not have.
    package enum Absence {
        /// They are empty, as nothing is stored there.
        case isEmpty
        /// They are created, as a view must have them before there is data.
        case creates
    }

    let schema: StorageSchema
    private let absence: Absence
    private var rows: Int32 = 0

    init(_ schema: StorageSchema, _ absence: Absence = .isEmpty) {
        self.schema = schema
        self.absence = absence
    }

    /// The SQL of the bits of a key that number the row within its resource.
    static let nodeMask: SQLFragment = "\(RowKey.lastNode)"
    /// The SQL of the bits that number the resource.
    static let rootMask: SQLFragment = "-16777216"

    /// A row that the statement does not have yet.
    package func newRow() -> RowAlias {
        rows += 1
        return RowAlias(rows)
    }

    /// Another row of the kind of one.
    package func newRow(like row: RowAlias) -> RowAlias { row.isResource ? newRow().ofResource : newRow() }

    /// The rows of a resource type that are not contained; nil if there are none.
    package func resources(_ layout: Layout) -> StoredPlace? {
        let table = schema.table(of: layout)
        return isThere(table) ? resources(layout, alias: newRow()) : nil
    }

    func resources(_ layout: Layout, alias: RowAlias) -> StoredPlace {
        StoredPlace(alias: alias.ofResource, group: schema.table(of: layout).root, isRoot: true)
    }

    /// Whether a table is in the file, or will be.
    private func isThere(_ table: TablePlan) -> Bool {
        if absence == .creates { table.isNeeded = true }
        return table.isInFile || absence == .creates
    }

    // MARK: - Elements

    /// An element of an object.
    package enum Member {
        /// A primitive, in a column of the object's row.
        case column(StoredColumn)
        /// An object in the object's row.
        case object(StoredPlace)
        /// Rows of another table.
        case list(StoredList)
        /// Nothing is stored there.
        case absent
        /// Resources, which can be of any type.
        case resources
    }

    /// An element of the object at a place.
    package func member(_ slot: Int, of place: StoredPlace) -> Member {
        let group = place.group
        let element = group.layout.elements[slot]
        if element.kind == .resource { return .resources }
        if element.isList { return storedList(slot, of: place).map { .list($0) } ?? .absent }
        guard element.kind == .primitive else {
            return .object(StoredPlace(alias: place.alias, group: schema.group(group, slot)))
        }
        let type = element.primitive ?? .string
        if absence == .creates {
            _ = group.table.mainColumn(group, slot)
            if Self.hasOffset(type) { _ = group.table.asideColumn(group, slot) }
        }
        let table = group.table
        return .column(
            StoredColumn(
                alias: place.alias, table: table, name: name(group.members[slot].main, table),
                aside: name(group.members[slot].aside, table), type: type,
                hasAnnotations: group.members[slot].group.map { hasRows($0.takeUnretainedValue()) } ?? false))
    }

    /// Whether values have a zone, in a column of its own. A decimal's literal is none of SQL's business.
    private static func hasOffset(_ type: PrimitiveType) -> Bool { type == .dateTime || type == .instant }

    private func name(_ column: Int32, _ table: TablePlan) -> String? {
        guard column >= 0, absence == .creates || column < Int32(table.fileColumns) else { return nil }
        return table.columns[Int(column)].name
    }

    /// The rows of a list, whether or not the file has any.
    func list(_ slot: Int, of place: StoredPlace) -> StoredList {
        let table = schema.child(of: place.group, slot)
        let row = StoredPlace(alias: newRow(), group: table.root, isValue: table.primitive != nil)
        let member = place.group.members[slot].sharesChild ? place.group.path(to: slot) : nil
        return StoredList(table: table, member: member, row: row, owner: place)
    }

    /// The resources of a type in an element that contains resources, whether or not the file has any.
    func resources(_ layout: Layout, in slot: Int, of place: StoredPlace) -> StoredList {
        let table = schema.table(of: layout)
        let row = StoredPlace(alias: newRow(), group: table.root)
        return StoredList(table: table, member: place.group.path(to: slot), row: row, owner: place)
    }

    private func storedList(_ slot: Int, of place: StoredPlace) -> StoredList? {
        var list = list(slot, of: place)
        let table = list.table
        guard isThere(table) else { return nil }
        if list.member != nil, absence == .creates { _ = table.memberColumnIndex() }
        if absence == .isEmpty, !list.exists { return nil }
        if let type = table.primitive {
            if absence == .creates {
                _ = table.valueColumnIndex()
                if Self.hasOffset(type) { _ = table.valueAsideIndex() }
            }
            list.value = StoredColumn(
                alias: list.row.alias, table: table, name: name(table.valueColumn, table), aside: name(table.valueAside, table), type: type,
                hasAnnotations: hasRows(table.root))
        }
        return list
    }

    // MARK: - Owners

    /// The condition that the object at a place owns the row of `alias`: a search among the rows of the same resource.
    ///
    /// The sign keeps SQLite from building an index of `_parent` for the query, in which each list's rows would have one key.
    static func ownership(of alias: RowAlias, by place: StoredPlace) -> SQLFragment {
        let owner = place.alias
        if place.isRoot { return "\(isOfResource(alias, owner)) AND +\(alias)._parent = 0" }
        return """
            \(alias)._k BETWEEN \(owner)._k & \(rootMask) AND \(owner)._k | \(nodeMask) \
            AND +\(alias)._parent = \(owner)._k & \(nodeMask)
            """
    }

    /// The condition that a row is one of a resource's rows.
    static func isOfResource(_ alias: RowAlias, _ resource: RowAlias) -> SQLFragment {
        "\(alias)._k BETWEEN \(resource)._k AND \(resource)._k + \(nodeMask)"
    }

    /// The key of the row that owns a row.
    static func ownerKey(of alias: RowAlias) -> SQLFragment { "\(alias)._k & \(rootMask) | \(alias)._parent" }

    /// Whether a list has a row that meets a condition.
    func exists(_ list: StoredList, where condition: SQLFragment = .always) -> SQLFragment {
        if condition.isNever { return .never }
        return "EXISTS (SELECT 1 FROM \(list.table) \(list.row.alias) WHERE \(.all([list.link, condition])))"
    }

    // MARK: - Presence

    /// The condition that the object at a place has content: in one of its columns, or in one of its lists. Each row of a table has.
    ///
    /// It goes by the columns and tables that the file has, and so does not fit a view, which outlives them.
    package func hasContent(_ place: StoredPlace) -> SQLFragment {
        guard place.group.index != 0 else { return .always }
        let table = place.group.table
        let inner = table.groups.filter { isWithin($0, place.group) }
        let numbers = Set(inner.map(\.index))
        var parts = table.columns.prefix(table.fileColumns).filter { numbers.contains($0.group) && $0.role == .main && $0.slot >= 0 }
            .map { "\(place.alias).\(name: $0.name) IS NOT NULL" as SQLFragment }
        for group in inner {
            let owner = StoredPlace(alias: place.alias, group: group)
            for element in group.layout.elements {
                if element.kind == .resource {
                    for table in schema.storedTables where table.isResource && table.holdsContainedRows {
                        parts.append(exists(resources(table.root.layout, in: element.slot, of: owner)))
                    }
                } else if element.isList {
                    let list = list(element.slot, of: owner)
                    if list.exists { parts.append(exists(list)) }
                }
            }
        }
        return .either(parts)
    }

    /// Whether the file has a column or a table for what is in an object.
    private func hasRows(_ group: GroupPlan) -> Bool {
        let table = group.table
        let isStored = table.columns.prefix(table.fileColumns).contains {
            $0.role == .main && $0.slot >= 0 && isWithin(table.groups[$0.group], group)
        }
        return isStored
            || group.layout.elements.contains { $0.isList && $0.kind != .resource && schema.child(of: group, $0.slot).isInFile }
    }

    private func isWithin(_ group: GroupPlan, _ outer: GroupPlan) -> Bool {
        var current: GroupPlan? = group
        while let known = current, known !== outer { current = known.parent }
        return current != nil
    }
}

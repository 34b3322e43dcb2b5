import FireLiteCore
import FireLiteSQLiteBridge

/// The tables of a file, for modules that write SQL of their own. What it gives is SQL without parameters, fit for the definition of a view.
package final class TableMap {
    /// What is done about tables and columns that the file does not have.
    package enum Absence {
        /// They are empty, as nothing is stored there.
        case isEmpty
        /// They are created, as a view must have them before there is data.
        case creates
    }

    private let schema: StorageSchema
    private let absence: Absence
    private var aliases = 0

    init(_ schema: StorageSchema, _ absence: Absence) {
        self.schema = schema
        self.absence = absence
    }

    /// The bits of a key that number the row within its resource.
    package static let nodeMask = PredicateCompiler.nodeMask
    /// The bits that number the resource.
    package static let rootMask = PredicateCompiler.rootMask

    /// A name that the statement has not used yet.
    package func newAlias() -> String {
        aliases += 1
        return "t\(aliases)"
    }

    /// The rows of a resource type; nil if there are none.
    package func resources(_ layout: Layout) -> StoredPlace? {
        let table = schema.table(of: layout)
        guard isThere(table) else { return nil }
        return StoredPlace(alias: newAlias(), group: table.root, isValue: false)
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
        if element.isList { return list(slot, of: place).map { .list($0) } ?? .absent }
        guard element.kind == .primitive else {
            return .object(StoredPlace(alias: place.alias, group: schema.group(group, slot), isValue: false))
        }
        let type = element.primitive ?? .string
        if absence == .creates {
            _ = group.table.mainColumn(group, slot)
            if Self.hasOffset(type) { _ = group.table.asideColumn(group, slot) }
        }
        let table = group.table
        return .column(
            StoredColumn(
                alias: place.alias, name: name(group.members[slot].main, table), aside: name(group.members[slot].aside, table), type: type,
                hasAnnotations: group.members[slot].group.map { hasRows($0.takeUnretainedValue()) } ?? false))
    }

    /// Whether values have a zone, in a column of its own. A decimal's literal is none of SQL's business.
    private static func hasOffset(_ type: PrimitiveType) -> Bool { type == .dateTime || type == .instant }

    private func name(_ column: Int32, _ table: TablePlan) -> String? {
        guard column >= 0, absence == .creates || column < Int32(table.fileColumns) else { return nil }
        return table.columns[Int(column)].name
    }

    private func list(_ slot: Int, of place: StoredPlace) -> StoredList? {
        let table = schema.child(of: place.group, slot)
        let isShared = place.group.members[slot].sharesChild
        guard isThere(table) else { return nil }
        if isShared, absence == .creates { _ = table.memberColumnIndex() }
        if isShared, absence == .isEmpty, !table.holdsContainedRows { return nil }
        let row = StoredPlace(alias: newAlias(), group: table.root, isValue: table.primitive != nil)
        var link = ownership(of: row.alias, by: place)
        if isShared { link += " AND \(row.alias).\"_member\" = '\(place.group.path(to: slot))'" }
        var column: StoredColumn?
        if let type = table.primitive {
            if absence == .creates {
                _ = table.valueColumnIndex()
                if Self.hasOffset(type) { _ = table.valueAsideIndex() }
            }
            column = StoredColumn(
                alias: row.alias, name: name(table.valueColumn, table), aside: name(table.valueAside, table), type: type,
                hasAnnotations: hasRows(table.root))
        }
        return StoredList(row: row, table: table.quotedName, link: link, value: column)
    }

    /// The condition that a row belongs to the object of another one: a search among the rows of the same resource.
    private func ownership(of alias: String, by place: StoredPlace) -> String {
        let owner = place.alias
        if place.isRoot { return "\(alias)._k BETWEEN \(owner)._k AND \(owner)._k + \(Self.nodeMask) AND +\(alias)._parent = 0" }
        return """
            \(alias)._k BETWEEN \(owner)._k & \(Self.rootMask) AND \(owner)._k | \(Self.nodeMask) \
            AND +\(alias)._parent = \(owner)._k & \(Self.nodeMask)
            """
    }

    // MARK: - Presence

    /// The condition that the object at a place has content; nil if nothing is stored there. Each row of a table has.
    ///
    /// It goes by the columns and tables that the file has, and so does not fit a view, which outlives them.
    package func hasContent(_ place: StoredPlace) -> String? {
        guard place.group.index != 0 else { return "1" }
        let table = place.group.table
        let inner = table.groups.filter { isWithin($0, place.group) }
        let numbers = Set(inner.map(\.index))
        var parts = table.columns.prefix(table.fileColumns).filter { numbers.contains($0.group) && $0.role == .main && $0.slot >= 0 }
            .map { "\(place.alias).\($0.quotedName) IS NOT NULL" }
        for group in inner {
            for element in group.layout.elements where element.isList && element.kind != .resource {
                let owner = StoredPlace(alias: place.alias, group: group, isValue: false)
                guard let list = list(element.slot, of: owner) else { continue }
                parts.append("EXISTS (SELECT 1 FROM \(list.table) \(list.row.alias) WHERE \(list.link))")
            }
        }
        return parts.isEmpty ? nil : "(\(parts.joined(separator: " OR ")))"
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

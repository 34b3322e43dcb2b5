import FireLiteCore
import FireLiteSQLiteBridge

/// The subject of a condition during compilation: an object in the row of an alias, or the value of a row of a list of primitives.
struct QueryScope {
    let alias: String
    let group: GroupPlan
    /// Whether it is the row's value, in a list of primitives, instead of the object.
    var isValue = false
    /// Whether the rows are resources that are not contained.
    var isRoot = false

    var table: TablePlan { group.table }
}

/// The end of a path.
enum QueryLeaf {
    /// A complex element, inlined in the row of an alias or with a row of its own.
    case object(QueryScope, isRow: Bool)
    /// A primitive: its column.
    case column(QueryColumn)
    /// A choice element's slots in an object.
    case choice(QueryScope, Range<Int>)
}

/// A primitive's column in a table; nil if it does not exist, so that no row has a value.
struct QueryColumn {
    let alias: String
    let table: TablePlan
    let name: String?
    /// The second column of a value; nil if it does not exist.
    let aside: String?
    let primitive: PrimitiveType

    var sql: String { name.map { "\(alias).\(quoted($0))" } ?? "NULL" }
}

extension GroupPlan {
    /// The column of a primitive of the object, if it exists.
    func queryColumn(_ slot: Int, alias: String) -> QueryColumn {
        let member = members[slot]
        return QueryColumn(
            alias: alias, table: table, name: table.fileColumn(member.main), aside: table.fileColumn(member.aside),
            primitive: layout.elements[slot].primitive ?? .string)
    }
}

extension TablePlan {
    /// The name of a column, if it exists.
    func fileColumn(_ index: Int32) -> String? {
        index >= 0 && index < Int32(fileColumns) && isInFile ? columns[Int(index)].name : nil
    }

    /// The column of a list of primitives' values.
    func queryValueColumn(alias: String) -> QueryColumn {
        QueryColumn(
            alias: alias, table: self, name: fileColumn(valueColumn), aside: fileColumn(valueAside), primitive: primitive ?? .string)
    }

    /// Whether resources of the type may be contained in others, in this file.
    var holdsContainedRows: Bool { fileColumn(memberColumn) != nil }

    /// Whether the table, or one above it, has rows of other elements than the one it is named after, or of that one at other depths.
    var isShared: Bool {
        var table: TablePlan? = self
        while let current = table, current.owner != nil {
            if RecursiveTypes.recurs(current.root.layout, isPrimitive: current.primitive != nil) { return true }
            table = current.owner
        }
        return false
    }
}

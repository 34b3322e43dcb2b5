import FireLiteCore

/// An object in the tables, in the row of an alias or inlined in it; or the value of a row of a list of primitives.
package struct StoredPlace {
    package var alias: RowAlias
    let group: GroupPlan
    /// Whether it is the row's value, in a list of primitives, instead of the object.
    var isValue = false
    /// Whether the rows are resources that are not contained.
    package var isRoot = false

    var table: TablePlan { group.table }

    /// The class of the object.
    package var layout: Layout { group.layout }
    /// The name of the row's table.
    package var tableName: String { group.table.name }
    /// Whether the object has the row to itself.
    package var isRow: Bool { group.index == 0 }
    /// Whether rows of its table can be elements of each other, as extensions are of extensions.
    package var isNested: Bool { group.table.isShared }
}

/// The end of a path.
enum QueryLeaf {
    /// A complex element, inlined in the row of an alias or with a row of its own.
    case object(StoredPlace, isRow: Bool)
    /// A primitive: its column.
    case column(StoredColumn)
    /// A choice element's slots in an object.
    case choice(StoredPlace, Range<Int>)
}

extension GroupPlan {
    /// The column of a primitive of the object, if it exists.
    func queryColumn(_ slot: Int, alias: RowAlias) -> StoredColumn {
        let member = members[slot]
        return StoredColumn(
            alias: alias, table: table, name: table.fileColumn(member.main), aside: table.fileColumn(member.aside),
            type: layout.elements[slot].primitive ?? .string)
    }
}

extension TablePlan {
    /// The name of a column, if it exists.
    func fileColumn(_ index: Int32) -> String? {
        index >= 0 && index < Int32(fileColumns) && isInFile ? columns[Int(index)].name : nil
    }

    /// The column of a list of primitives' values.
    func queryValueColumn(alias: RowAlias) -> StoredColumn {
        StoredColumn(
            alias: alias, table: self, name: fileColumn(valueColumn), aside: fileColumn(valueAside), type: primitive ?? .string)
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

/// The column of a primitive in the row of an alias.
package struct StoredColumn {
    package var alias: RowAlias
    let table: TablePlan
    /// The column; nil if there is none in the file, so that no row has a value.
    package let name: String?
    /// The column with the rest of the literal: a decimal's literal, or the offset of a date or time. Nil if there is none in the file.
    package let aside: String?
    /// The type of the primitive.
    package let type: PrimitiveType
    /// Whether values may have an id or extensions in the file, and so be there without a value. Only views ask.
    package var hasAnnotations = false

    /// The value as it is stored.
    package var sql: SQLFragment { "\(self)" }
    /// The rest of the literal.
    package var asideSQL: SQLFragment? { aside.map { "\(alias).\(name: $0)" } }
}

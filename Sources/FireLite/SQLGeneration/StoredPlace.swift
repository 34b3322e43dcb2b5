import FireLiteCore

/// An object in the tables: the row of an alias, or an object inlined in it.
package struct StoredPlace {
    /// The name of the row in the statement.
    package var alias: String
    let group: GroupPlan
    /// Whether the row is a primitive of a list.
    let isValue: Bool

    /// The class of the object.
    package var layout: Layout { group.layout }
    /// The table of the row, as an identifier.
    package var table: String { group.table.quotedName }
    /// Whether it is the row of a resource.
    package var isRoot: Bool { group.table.isResource && group.index == 0 }
    /// Whether the object has the row to itself.
    package var isRow: Bool { group.index == 0 }
}

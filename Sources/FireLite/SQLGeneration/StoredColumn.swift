import FireLiteCore

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

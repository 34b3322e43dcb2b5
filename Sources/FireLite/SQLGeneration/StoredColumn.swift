import FireLiteCore
import FireLiteSQLiteBridge

/// The column of a primitive.
package struct StoredColumn {
    /// The name of the row in the statement.
    package var alias: String
    /// The column; nil if there is none in the file.
    package let name: String?
    /// The column with the rest of the literal: a decimal's literal, or the offset of a date or time.
    package let aside: String?
    /// The type of the primitive.
    package let type: PrimitiveType

    /// Whether values may have an id or extensions in the file, and so be there without a value.
    package let hasAnnotations: Bool

    /// The value as it is stored.
    package var sql: String { name.map { "\(alias).\(quoted($0))" } ?? "NULL" }
    /// The rest of the literal.
    package var asideSQL: String? { aside.map { "\(alias).\(quoted($0))" } }
}

import FireLite
import FireLiteCore

/// A collection of FHIRPath as rows of the tables: what is joined to the row around it, under which conditions, and the value in each.
struct SQLCollection {
    /// A table that is joined.
    struct Row {
        let table: String
        let alias: String
        /// The condition that its rows belong to the row before.
        let link: String
    }

    /// What an item is.
    enum Value {
        case object(StoredPlace)
        case column(StoredColumn)
        /// A choice element whose type is still open.
        case choice(StoredPlace, Range<Int>)
        /// A value that is computed; NULL for none.
        case computed(String, SQLKind)
        /// Always empty.
        case nothing
    }

    var rows: [Row] = []
    var conditions: [String] = []
    var value: Value
    /// Whether there is at most one item, whatever the data.
    var isSingle: Bool
    /// Whether the rows are those of one list as it is, so that a row's position is the item's.
    var isPlainList = false
    /// What the value was computed from, if it is the key of a reference.
    var reference: ReferenceKey?

    /// The key of the resource that a reference names, of a type if one is given.
    struct ReferenceKey {
        /// How SQL computes the key.
        let sql: String
        /// The text of the reference.
        let text: String
        let type: String?
    }

    init(_ value: Value, isSingle: Bool = true) {
        self.value = value
        self.isSingle = isSingle
    }

    static var nothing: SQLCollection { SQLCollection(.nothing) }

    static func computed(_ sql: String, _ kind: SQLKind) -> SQLCollection { SQLCollection(.computed(sql, kind)) }

    /// The positions of the rows in their lists, for document order.
    var orders: [String] { rows.map { "\($0.alias)._ord" } }

    /// `FROM` with all rows, the first of which is searched among those of the resource.
    var from: String { rows.map { "\($0.table) \($0.alias)" }.joined(separator: " CROSS JOIN ") }

    /// The conditions of a subquery.
    func filter(_ more: [String] = []) -> String { (rows.map(\.link) + conditions + more.filter { $0 != "1" }).joined(separator: " AND ") }
}

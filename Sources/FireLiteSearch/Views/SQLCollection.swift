import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// A collection of FHIRPath as rows of the tables: what is joined to the row around it, under which conditions, and the value in each.
struct SQLCollection {
    /// A table that is joined.
    struct Row {
        let table: String
        let alias: RowAlias
        /// The condition that its rows belong to the row before.
        let link: SQLFragment
        /// The list whose item at a position it is; nil if it can be any of them.
        var position: (list: StoredList, number: Int64)?
        /// Whether the link gives the row's key by positions in lists alone.
        var isByPosition = false

        init(_ list: StoredList) {
            (table, alias, link) = (list.tableName, list.row.alias, list.link)
        }

        init(table: String, alias: RowAlias, link: SQLFragment) {
            (self.table, self.alias, self.link) = (table, alias, link)
        }

        /// The condition that its rows are joined by.
        func condition(isJoined: Bool = false) -> SQLFragment {
            guard let position else { return link }
            return "\(link) AND \(position.list.isAt(position.number, isJoined: isJoined))"
        }
    }

    /// What an item is.
    enum Value {
        case object(StoredPlace)
        case column(StoredColumn)
        /// A choice element whose type is still open.
        case choice(StoredPlace, Range<Int>)
        /// A value that is computed; NULL for none.
        case computed(SQLFragment, SQLKind)
        /// A date or time of the expression itself.
        case moment(PathTemporal)
        /// Always empty.
        case nothing
    }

    var rows: [Row] = []
    var conditions: [SQLFragment] = []
    var value: Value
    /// Whether there is at most one item, whatever the data.
    var isSingle: Bool
    /// The list whose rows these are, as it is, so that a row's position is the item's.
    var plainList: StoredList?
    /// What the value was computed from, if it is the key of a reference.
    var reference: ReferenceKey?

    /// The text of a reference, and the type that it must be to.
    struct ReferenceKey {
        let text: SQLFragment
        let type: String?
    }

    init(_ value: Value, isSingle: Bool = true) {
        self.value = value
        self.isSingle = isSingle
    }

    static var nothing: SQLCollection { SQLCollection(.nothing) }

    static func computed(_ sql: SQLFragment, _ kind: SQLKind) -> SQLCollection { SQLCollection(.computed(sql, kind)) }

    /// Whether there is never a value.
    var isNothing: Bool {
        switch value {
        case .nothing: true
        case .column(let column): column.name == nil
        default: false
        }
    }

    /// The positions of the rows in their lists, for document order.
    var orders: [SQLFragment] { rows.map { "\($0.alias)._ord" } }

    /// The order of the items in a subquery.
    var order: SQLFragment { .joined(orders, ", ") }

    /// `FROM` with all rows, the first of which is searched among those of the resource.
    var from: SQLFragment { .joined(rows.map { "\(name: $0.table) \($0.alias)" }, " CROSS JOIN ") }

    /// The conditions of a subquery.
    func filter(_ more: [SQLFragment] = []) -> SQLFragment {
        .joined(rows.map { $0.condition() } + conditions + more.filter { !$0.isAlways }, " AND ")
    }
}

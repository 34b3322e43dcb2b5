import FireLiteCore
import FireLiteSQLiteBridge

/// Tells which tables have rows of a resource, for resources in the order of their numbers: it remembers which resource is the next one with rows in
/// each table, so that a table is asked as often as it has resources, and not for each resource of the file.
struct NextRows {
    private let connection: Connection
    private var places: [Int: Place] = [:]

    private struct Place {
        /// The number of the resource that was asked for.
        let asked: Int64
        /// The number of the first one with rows from there on; the highest number if there is none.
        let found: Int64
    }

    init(_ connection: Connection) { self.connection = connection }

    /// Whether a table has rows of a resource; nil if that cannot be read.
    ///
    /// - Throws: `SQLiteError` that is not damage.
    mutating func hasRows(of root: Int64, in table: TablePlan) throws -> Bool? {
        if let place = places[table.index], place.asked <= root, root <= place.found { return root == place.found }
        do {
            let statement = try connection.cached(
                "SELECT \(RowKey.root(ofSQL: "_k")) FROM \(table.quotedName) NOT INDEXED WHERE _k >= ? ORDER BY _k LIMIT 1")
            defer { statement.reset() }
            statement.bind(1, RowKey.key(root))
            let place = Place(asked: root, found: try statement.step() ? statement.int(0) : .max)
            places[table.index] = place
            return place.found == root
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }
}

/// The set of tables that a resource has rows in, including that of its type.
final class Shape {
    let number: Int64
    /// Owners come before the tables they own.
    let tables: [TablePlan]
    /// Their numbers, the first of which is that of the resource's own table.
    let indexes: [Int32]
    /// Distinguishes most sets of tables (`TablePlan.mark`).
    let mark: UInt64
    /// The number of resources read with a statement for each table.
    @exclusivity(unchecked) var reads = 0
    /// Reads the tables with one statement.
    @exclusivity(unchecked) var reader: ShapeReader?

    init(number: Int64, tables: [TablePlan]) {
        self.number = number
        self.tables = tables.sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }
        indexes = tables.map { Int32($0.index) }
        mark = tables.reduce(0) { $0 ^ $1.mark }
    }
}

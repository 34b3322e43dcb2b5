/// The set of tables that a resource has rows in, the table of its type among them.
final class Shape {
    let number: Int64
    /// Owners come before what they own.
    let tables: [TablePlan]
    /// Tells sets of tables apart (`TablePlan.mark`).
    let mark: UInt64
    /// How many resources were read with a statement for each table.
    @exclusivity(unchecked) var reads = 0
    /// Reads the tables with one statement.
    @exclusivity(unchecked) var reader: ShapeReader?

    init(number: Int64, tables: [TablePlan]) {
        self.number = number
        self.tables = tables.sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }
        mark = tables.reduce(0) { $0 ^ $1.mark }
    }
}

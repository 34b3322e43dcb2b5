import FireLiteCore
import FireLiteSQLiteBridge

/// Reading what can be read of a resource, for recovery and for scans that go on.
extension StoreConnection {
    /// Goes through the rows of a resource in one table; false where they cannot all be read.
    func readTolerantly(_ table: TablePlan, _ root: Int64, _ body: (RowReader) throws -> Void) throws -> Bool {
        do {
            let reader = try reader(table)
            defer { reader.statement.reset() }
            reader.start(root << 24, root << 24 | 0xFF_FFFF)
            while try reader.statement.step() { try body(reader) }
            return true
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    /// Puts a resource together from the rows that can be read; nil where its own row is not among them.
    ///
    /// Where not all tables could be read to the end, the digest tells whether rows are missing: reading has to look at the page after the
    /// last row to know that it was the last, and that page may be the damaged one.
    func loadTolerantly(_ root: Int64, _ shape: Shape) throws -> (resource: FHIRResource?, isWhole: Bool) {
        var isWhole = true
        let resource = try load(root: root, shape: shape) { error in
            if error.isDamage { isWhole = false }
            return error.isDamage
        }
        return (resource, isWhole)
    }

    /// Why a resource cannot be put together.
    func reasonForDamage(_ root: Int64, _ shape: Shape) throws -> String {
        let tables = try shape.tables.filter { try !readTolerantly($0, root) { _ in } }.map(\.name)
        return tables.isEmpty ? "its own row is missing" : "its rows cannot be read in \(tables.joined(separator: ", "))"
    }

    /// What is said of a resource whose digest is not that of what can be read.
    static let changedRows = "its rows are not what was stored"
}

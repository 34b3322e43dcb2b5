import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    /// Changes references to a resource that gets another id, in every stored resource.
    ///
    /// - Parameters:
    ///   - old: the text of the references, `Type/id`.
    ///   - new: their new text.
    /// - Complexity: reads the columns of references of the whole store.
    package func rewriteReferences(from old: String, to new: String) throws {
        try perform {
            var roots: Set<Int64> = []
            for table in access.schema.tables where table.isInFile {
                for column in try columns(of: table) where column == "reference" || column.hasSuffix("_reference") {
                    let statement = try access.connection.prepare("SELECT _k >> 24 FROM \(table.quotedName) WHERE \"\(column)\" = ?")
                    statement.bind(1, old)
                    while try statement.step() { roots.insert(statement.int(0)) }
                }
            }
            let rewriter = ReferenceRewriter(release: store.release)
            for root in roots.sorted() {
                guard let resource = try loader.resource(root: root) else { continue }
                objects?.hold(resource)
                rewriter.rewrite(resource) { text, isReference in isReference && text == old ? new : nil }
            }
            try objects?.flush()
        }
    }

    private func columns(of table: TablePlan) throws -> [String] {
        // Not the table of that name, which older versions of SQLite do not have.
        let statement = try access.connection.prepare("PRAGMA table_info(\(table.quotedName))")
        var columns: [String] = []
        while try statement.step() { if let name = statement.text(1) { columns.append(name) } }
        return columns
    }
}

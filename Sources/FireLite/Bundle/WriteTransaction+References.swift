import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    /// Changes references to a resource that gets another id, in every stored resource: relative ones, those under a base address that stands for
    /// this store, and those to a version, which another id has not.
    ///
    /// - Parameters:
    ///   - typeName: the resource's type.
    ///   - id: its id until now.
    ///   - newID: its new id.
    ///   - bases: base addresses without a slash at the end.
    /// - Complexity: reads the columns of references of the whole store.
    package func rewriteReferences(to typeName: String, id: String, newID: String, bases: [String]) throws {
        let starts = [""] + bases.map { $0 + "/" }
        let texts = starts.map { "\($0)\(typeName)/\(id)" }
        let isOne = texts.map { _ in "?" }.joined(separator: ", ")
        try perform {
            var roots: Set<Int64> = []
            for table in access.schema.storedTables {
                for column in try columns(of: table) where column == "reference" || column.hasSuffix("_reference") {
                    let isVersion = texts.map { _ in " OR \"\(column)\" >= ? AND \"\(column)\" < ?" }.joined()
                    let statement = try access.connection.prepare(
                        "SELECT \(RowKey.root(ofSQL: "_k")) FROM \(table.quotedName) WHERE \"\(column)\" IN (\(isOne))\(isVersion)")
                    for (index, text) in texts.enumerated() {
                        statement.bind(index + 1, text)
                        // A zero is what follows a slash.
                        statement.bind(texts.count + 2 * index + 1, text + "/_history/")
                        statement.bind(texts.count + 2 * index + 2, text + "/_history0")
                    }
                    while try statement.step() { roots.insert(statement.int(0)) }
                }
            }
            let new = "\(typeName)/\(newID)"
            let rewriter = ReferenceRewriter(release: store.release)
            for root in roots.sorted() {
                guard let resource = try loader.resource(root: root) else { continue }
                objects?.hold(resource)
                rewriter.rewrite(resource) { text, isReference in
                    guard isReference else { return nil }
                    let parts = ReferenceParts(text)
                    guard parts.type == typeName, parts.id == id else { return nil }
                    return parts.base == nil || bases.contains(parts.base ?? "") ? new : nil
                }
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

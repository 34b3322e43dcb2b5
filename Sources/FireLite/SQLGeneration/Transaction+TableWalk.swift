import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// The tables as they are.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if another program has dropped one: its rows would be missing from a view without a word.
    package func tableWalk() throws -> TableWalk {
        try perform {
            try access.schema.requireWhole(access.connection)
            return TableWalk(access.schema)
        }
    }
}

extension WriteTransaction {
    /// Creates a view, or replaces it. The tables and columns that it names are created first, so that it sees what is stored later.
    ///
    /// - Parameters:
    ///   - name: the view's name, which no table has or may get.
    ///   - sql: makes the statement of the view, with literals for its values.
    /// - Throws: `FHIRStoreError`; what `sql` throws.
    package func createView(named name: String, _ sql: (TableWalk) throws -> String) throws {
        try perform {
            // A first walk notes what is missing.
            _ = try sql(TableWalk(access.schema, .creates))
            try createTables()
            let statement = try sql(TableWalk(access.schema))
            try access.connection.run("DROP VIEW IF EXISTS \(quoted(name))")
            try access.connection.run("CREATE VIEW \(quoted(name)) AS \(statement)")
            access.schema.forgetVersion()
        }
    }
}

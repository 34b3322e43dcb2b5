import FireLiteCore

/// Numbers that rows of modules' tables have, and that a module counts on from: keys, versions and editions.
///
/// They come from a file that others can write to, so each is counted on with a check instead of a trap.
package enum RowNumber {
    /// The highest number that a module gives. Counting to it would take longer than any store lasts, so a higher one is damage.
    package static let greatest: Int64 = 1 << 62

    /// The condition that a column's value is no number that a module gives.
    static func fault(of column: String) -> String {
        "\(column) IS NOT NULL AND (typeof(\(column)) <> 'integer' OR \(column) > \(greatest))"
    }
}

extension ReadTransaction {
    /// The number that follows one that a row has.
    ///
    /// - Parameters:
    ///   - number: the row's number.
    ///   - table: the row's table.
    /// - Throws: `FHIRStoreError.notAStore` for a number that no module has given.
    package func incremented(_ number: Int64, in table: String) throws -> Int64 {
        guard number < RowNumber.greatest else {
            throw FHIRStoreError(
                .notAStore,
                "\(store.path) is damaged: a row of \(table) has the number \(number), after which there is none: restore a backup, or correct it with SQL"
            )
        }
        return max(number, 0) + 1
    }

    /// Rows with numbers that a module cannot count on from.
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - columns: its columns with such numbers.
    /// - Complexity: reads the rows, unless there is an index on the column.
    /// - Throws: `FHIRStoreError`.
    package func numberFindings(of module: ModuleTables, _ table: String, _ columns: [String]) throws -> [StoreFinding] {
        try columns.compactMap { column in
            let rows = try rows(of: module, "SELECT count(*) FROM \(table) WHERE \(RowNumber.fault(of: column))")
            guard let count = rows.first?[0].integer, count > 0 else { return nil }
            let what = String(counting: Int(count), "row has", "rows have")
            return StoreFinding(
                .mismatch, table: table,
                "\(table): \(what) a \(column) that no version of the library gives: restore a backup, or correct it with SQL")
        }
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

/// What the store knows about a resource apart from its content: its row of `_resource`.
struct Registration {
    /// The number of the resource, a part of its rows' keys.
    var root: Int64
    /// The number of its shape, the set of tables that its rows are in.
    var shape: Int64
    /// The number of times its content was stored, from 1.
    var revision: Int64
    /// The first unused number of its rows.
    var nodes: UInt32
    /// The digest of its content.
    var digest: ContentDigest.Value
    /// Its pk, if it was given one.
    var pk: String?

    /// Whether a resource can have its number: a file may hold any.
    var isPossible: Bool { root >= 0 && root <= RootNumbers.maximum }

    /// Whether its revision can be counted up: a file may hold any.
    var hasPossibleRevision: Bool { revision >= 0 && revision < .max }

    /// The revision after another one of the file.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if there is no higher number.
    static func revision(after last: Int64, _ connection: Connection) throws -> Int64 {
        let (revision, isTooHigh) = last.addingReportingOverflow(1)
        guard !isTooHigh else {
            throw FHIRStoreError(
                .notAStore,
                "\(connection.path) is damaged: the version \(last) of a resource is not valid, so it can have no next one: restore a backup or recover "
                    + "what is readable")
        }
        return revision
    }
}

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

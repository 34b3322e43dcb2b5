import FireLiteSQLiteBridge
import Foundation

/// What keeps the payloads of a store apart, if anything does.
///
/// `@unchecked Sendable`: `lock` guards the variable.
package final class PayloadKeeping: @unchecked Sendable {
    /// The table that names the payloads of each resource, and the sign in `_meta` that it is incomplete.
    static let referenceTable = "_blob_reference"
    static let incompleteKey = "payloads.incomplete"

    /// What notes in the schema that a file keeps no payloads apart. No module is called so.
    private static let absence = "payloads kept apart"

    /// Whether the file keeps payloads apart, by any of the tables, which may be lost, or by what it says of its modules.
    static func isUsed(_ connection: Connection, _ schema: StorageSchema) throws -> Bool {
        if PayloadTables.all.contains(where: { schema.moduleDefinitions[$0.name] != nil }) { return true }
        if schema.absentModules.contains(absence) { return false }
        if try ModuleRecord.all(connection).contains(where: { $0.module == PayloadTables.module }) { return true }
        schema.noteAbsent(absence)
        return false
    }

    /// Whether `_blob_reference` may lack rows, or the file has lost it.
    static func isIncomplete(_ connection: Connection) throws -> Bool {
        let statement = try connection.cached("SELECT 1 FROM _meta WHERE key = ?")
        defer { statement.reset() }
        statement.bind(1, incompleteKey)
        return try statement.step()
    }

    /// How a reference to a payload begins in JSON.
    package static let referenceStarts = ["blob:sha256:", "blob:hmac-sha256:"].map { Data("\"\($0)".utf8) }

    private let lock = NSLock()
    private var current: (any PayloadKeeper)?

    init() {}

    /// Keeps the payloads of every later write; nil if they stay in the rows.
    package var keeper: (any PayloadKeeper)? {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}

import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite

/// Runs `body` with the path of a new folder that is gone afterwards.
func withTemporaryFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// Runs `body` with a new store in a file, which is checked afterwards like those of `freshStore()`.
func withStore<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (FHIRStore) throws -> Value
) throws -> Value {
    try withTemporaryFolder { folder in
        let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
        let result = try body(store)
        try expectSound(store, sourceLocation: sourceLocation)
        return result
    }
}

/// Expects that no statement is left running, that the store finds no fault with itself, and that no row is an orphan.
func expectSound(_ store: FHIRStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let faults = try faults(of: store)
    #expect(faults.isEmpty, sourceLocation: sourceLocation)
}

/// What is wrong with a store that nobody uses at the moment.
func faults(of store: FHIRStore) throws -> [String] {
    var faults: [String] = []
    if try store.read({ $0.access.connection.busyStatements }) > 0 { faults.append("a statement of a reading connection is left running") }
    if store.configuration.access == .readWrite, try store.withWritingConnection({ $0.busyStatements }) > 0 {
        faults.append("a statement of the writing connection is left running")
    }
    faults += try store.check().map { "check(): \($0)" }
    return try faults + store.read { try orphanRows($0.access.connection) }.map { "orphan row: \($0)" }
}

/// The rows that name a resource or an owner that is not there, as Sources/FireLite/FireLite.docc/FileFormat.md has it: looked for by SQL alone, so that a
/// store cannot be wrong about them in the same way twice.
private func orphanRows(_ connection: Connection) throws -> [String] {
    func rows(_ sql: String, _ body: (Statement) -> Void) throws {
        let statement = try connection.prepare(sql)
        while try statement.step() { body(statement) }
    }
    var roots: Set<Int64> = []
    try rows("SELECT root FROM _resource") { roots.insert($0.int(0)) }
    var tables: [String] = []
    try rows("SELECT DISTINCT tables FROM _shape") { tables += ($0.text(0) ?? "").split(separator: " ").map(String.init) }
    var keys: Set<Int64> = []
    var owned: [(table: String, key: Int64, owner: Int64)] = []
    for table in Set(tables).sorted() {
        try rows("SELECT _k, _parent FROM \"\(table)\"") { row in
            let key = row.int(0)
            keys.insert(key)
            // A resource that is not contained in another has no owner but its registration.
            owned.append((table, key, row.type(1) == .null ? key : key & ~0xFF_FFFF | row.int(1)))
        }
    }
    return owned.filter { !roots.contains($0.key >> 24) || !keys.contains($0.owner) }.map { "\($0.table) \($0.key)" }
}

/// How many rows each table of the store has; tables without rows are left out.
func rowCounts(_ store: FHIRStore) throws -> [String: Int] {
    Dictionary(uniqueKeysWithValues: try store.statistics().tables.filter { $0.rows > 0 }.map { ($0.name, $0.rows) })
}

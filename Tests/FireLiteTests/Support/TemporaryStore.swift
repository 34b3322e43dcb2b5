import FireLite
import FireLiteR4
import Foundation
import Testing

/// Runs `body` with the path of a new folder that is gone afterwards.
func withTemporaryFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// Runs `body` with a new store in a file; afterwards the store must be sound.
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

/// Expects that the store has no fault and no statement is left running.
func expectSound(_ store: FHIRStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let faults = try store.check()
    #expect(faults.isEmpty, sourceLocation: sourceLocation)
}

/// `expectSound` for a `defer` right after the store was made, so that it holds however the test ends.
func expectSoundAtEnd(_ store: FHIRStore, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(throws: Never.self, sourceLocation: sourceLocation) { try expectSound(store, sourceLocation: sourceLocation) }
}

/// How many rows each table of the store has; tables without rows are left out.
func rowCounts(_ store: FHIRStore) throws -> [String: Int] {
    Dictionary(uniqueKeysWithValues: try store.statistics().tables.filter { $0.rows > 0 }.map { ($0.name, $0.rows) })
}

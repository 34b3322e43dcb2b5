import FireLiteR4
import Foundation
import Testing

@testable import FireLite

extension Trait where Self == SoundStores {
    /// What each test of the suite makes with `freshStore()` must be sound when the test has ended.
    static var soundStores: SoundStores { SoundStores() }
}

/// The fixture of tests that need a store: makes the stores of a test and checks each at its end, however that came.
///
/// ```swift
/// @Suite(.soundStores) struct ScanTests {
///     @Test func everyResourceIsScanned() throws {
///         let store = try freshStore()
/// ```
struct SoundStores: SuiteTrait, TestTrait, TestScoping {
    /// The stores of one test.
    ///
    /// `@unchecked Sendable`: `lock` is held for every access to the variable.
    final class Ledger: @unchecked Sendable {
        private let lock = NSLock()
        private var entries: [(store: FHIRStore, folder: URL?, place: SourceLocation)] = []

        func add(_ store: FHIRStore, _ folder: URL?, _ place: SourceLocation) { lock.withLock { entries.append((store, folder, place)) } }

        func finish() {
            for entry in lock.withLock({ entries }) {
                #expect(throws: Never.self, sourceLocation: entry.place) { try expectSound(entry.store, sourceLocation: entry.place) }
                // A folder that stays behind in the system's temporary folder harms nothing.
                if let folder = entry.folder { try? FileManager.default.removeItem(at: folder) }
            }
        }
    }

    @TaskLocal fileprivate static var current: Ledger?

    let isRecursive = true

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let ledger = Ledger()
        defer { ledger.finish() }
        try await Self.$current.withValue(ledger) { try await function() }
    }
}

/// A new store, which is checked when the test has ended.
///
/// - Parameters:
///   - isInFile: in a folder that is gone after the test; in memory unless said.
///   - configuration: the default one unless given.
///   - release: R4 unless given.
/// - Precondition: the suite has the trait `.soundStores`, and the caller runs in the test's own task.
func freshStore(
    isInFile: Bool = false, _ configuration: FHIRStore.Configuration = .init(), release: FHIRRelease = .r4,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> FHIRStore {
    let ledger = try #require(SoundStores.current, "give the suite the trait .soundStores", sourceLocation: sourceLocation)
    guard isInFile else {
        let store = try FHIRStore(path: ":memory:", release: release, configuration: configuration)
        ledger.add(store, nil, sourceLocation)
        return store
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try FHIRStore(path: folder.appendingPathComponent("store.sqlite").path, release: release, configuration: configuration)
    ledger.add(store, folder, sourceLocation)
    return store
}

import FireLite
import FireLiteR4
import Foundation
import Testing

/// The kinds of store that random sequences of writes run in.
enum ModelSetup: String, CaseIterable, Sendable {
    case memory, file
    /// With a log and a history of all types.
    case trackedInMemory, trackedFile
    /// With a log of all types and a history of one, and ids that are unique.
    case partlyTracked

    var isInFile: Bool { self != .memory && self != .trackedInMemory }
    var logged: Set<String> { self == .memory || self == .file ? [] : ["Patient", "Basic"] }
    var kept: Set<String> { self == .partlyTracked ? ["Basic"] : logged }

    /// A new store, which is checked and removed when `body` has ended.
    func withStore(_ body: (FHIRStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder that stays behind in the system's temporary folder harms nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try open(isInFile ? folder.path + "/store.sqlite" : ":memory:")
        try track(store)
        try await body(store)
        try expectSound(store)
        try await store.close()
    }

    func open(_ path: String) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.foreignCommitInterval = .milliseconds(2)
        configuration.durability = .normal
        configuration.uniqueIDs = self == .partlyTracked
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    func track(_ store: FHIRStore) throws {
        if !logged.isEmpty { try store.track(.changes) }
        if kept.count == 1 { try store.track(.history, of: Basic.self) } else if !kept.isEmpty { try store.track(.history) }
    }
}

/// What a sequence threw, and the seed that made it.
struct SequenceFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let error: any Error
    var description: String { "seed \(seed): \(error)" }
}

/// Runs `body` with a seed for a minute at most; what it throws comes out with the seed.
func withSeed(_ seed: UInt64, _ body: @escaping @Sendable (UInt64) async throws -> Void) async throws {
    let work = _Concurrency.Task { try await body(seed) }
    let deadline = DispatchWorkItem { work.cancel() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: deadline)
    defer { deadline.cancel() }
    do {
        try await work.value
    } catch {
        throw SequenceFailure(seed: seed, error: error)
    }
}

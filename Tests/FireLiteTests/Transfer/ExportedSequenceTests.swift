import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Exports as sequences.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct ExportedSequenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func filled(_ count: Int = 40, isInFile: Bool) throws -> FHIRStore {
        let store = try freshStore(isInFile: isInFile)
        try store.write { tx in
            _ = try tx.upsert(
                TransferSamples.resources(seed: 11, count).map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) })
        }
        return store
    }

    /// What the export to a file writes.
    private func exported(_ store: FHIRStore, _ options: ExportOptions = ExportOptions()) throws -> Data {
        let path = try folder.write("all.ndjson", "")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try store.export(to: handle, options: options)
        try handle.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    // MARK: - Content

    @Test(arguments: [false, true]) func theChunksAreTheExport(isInFile: Bool) async throws {
        let store = try filled(160, isInFile: isInFile)
        var chosen = ExportOptions()
        chosen.types = ["Observation", "Patient"]
        for options in [ExportOptions(), chosen] {
            var all = Data()
            var count = 0
            for try await chunk in store.exportedChunks(options: options) {
                #expect(chunk.last == UInt8(ascii: "\n"))
                all += chunk
                count += 1
            }
            #expect(try all == exported(store, options))
            #expect(count > 1)
        }
    }

    @Test func theLinesAreTheResources() async throws {
        let store = try filled(isInFile: true)
        var lines: [String] = []
        for try await line in store.exportedLines() { lines.append(line) }
        #expect(try lines.count == 40 && Set(lines) == store.contents())
        let empty = try freshStore(isInFile: true)
        for try await _ in empty.exportedLines() { Issue.record("an empty store has no lines") }
    }

    @Test func anExportCanBeImportedAsItIs() async throws {
        let (store, copy) = (try filled(isInFile: true), try freshStore())
        #expect(try await copy.importResources(from: store.exportedChunks()).counts == ImportCounts(added: 40))
        #expect(try copy.contents() == store.contents())
    }

    @Test func progressAndOptionsAreThoseOfTheExport() async throws {
        let store = try filled(isInFile: true)
        let last = Shared<StoreProgress?>(nil)
        for try await _ in store.exportedChunks(progress: { progress in last.change { $0 = progress } }) {}
        #expect(last.value?.phase == .exporting && last.value?.completed == 40 && last.value?.total == 40)
        var options = ExportOptions()
        options.types = ["Horse"]
        let error = await #expect(throws: FHIRStoreError.self) {
            for try await _ in store.exportedChunks(options: options) {}
        }
        #expect(error?.code == .invalidArgument)
        struct Enough: Error {}
        await #expect(throws: Enough.self) { for try await _ in store.exportedChunks(progress: { _ in throw Enough() }) {} }
    }

    // MARK: - Others

    /// loop:  first chunk ── deletes, adds, reads ── further chunks
    @Test(arguments: [false, true]) func theLoopSeesOneSnapshotAndMayWrite(isInFile: Bool) async throws {
        let store = try filled(160, isInFile: isInFile)
        let before = try store.contents()
        var lines: Set<String> = []
        for try await line in store.exportedLines() {
            if lines.isEmpty {
                _ = try await store.query(Patient.self).delete()
                try await store.write { _ = try $0.upsert(Patient { $0.id = "new" }) }
                #expect(try await store.count(Patient.self) == 1)
            }
            lines.insert(line)
        }
        #expect(lines == before)
        #expect(try await store.count(Patient.self) == 1)
    }

    @Test func moreLoopsThanReadersRunAtOnce() async throws {
        let store = try filled(100, isInFile: true)
        var iterators = (0..<20).map { _ in store.exportedLines().makeAsyncIterator() }
        for index in iterators.indices { #expect(try await iterators[index].next() != nil) }
        #expect(try await store.count(Patient.self) == 25)
        for index in iterators.indices {
            var count = 1
            while try await iterators[index].next() != nil { count += 1 }
            #expect(count == 100)
        }
    }

    // MARK: - Ends

    /// A second store of the same file, which the test may close.
    private func closable(_ store: FHIRStore, _ change: (inout FHIRStore.Configuration) -> Void = { _ in }) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        change(&configuration)
        return try FHIRStore(path: store.path, release: .r4, configuration: configuration)
    }

    @Test func aCancelledTaskGetsNothingMore() async throws {
        let store = try closable(filled(160, isInFile: true))
        let task = _Concurrency.Task {
            for try await _ in store.exportedChunks() { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        // Its thread has ended, and its connection is closed.
        try await store.close()
    }

    @Test func leavingTheLoopEndsTheReading() async throws {
        let store = try closable(filled(160, isInFile: true))
        for try await _ in store.exportedChunks() { break }
        try await store.close()
        let error = await #expect(throws: FHIRStoreError.self) { for try await _ in store.exportedChunks() {} }
        #expect(error?.code == .closed)
    }

    @Test func aStoreThatIsReadByALoopIsNotClosed() async throws {
        let store = try closable(filled(160, isInFile: true)) { $0.busyTimeout = .milliseconds(20) }
        var iterator = store.exportedChunks().makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        let error = await #expect(throws: FHIRStoreError.self) { try await store.close() }
        #expect(error?.code == .busy)
        while try await iterator.next() != nil {}
        try await store.close()
    }
}

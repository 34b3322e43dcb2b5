import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Exports through the API.
@Suite(.soundStores) struct ResourceExportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var output: URL { URL(fileURLWithPath: folder.file("out")) }

    private func filled(_ count: Int = 40) throws -> FHIRStore {
        let store = try freshStore()
        let lines = TransferSamples.resources(seed: 7, count).joined(separator: "\n")
        try store.importResources(from: URL(fileURLWithPath: folder.write("in.ndjson", lines)))
        return store
    }

    @Test func anExportImportsToTheSameStore() async throws {
        let store = try filled()
        let last = Shared<StoreProgress?>(nil)
        let result = try await store.export(to: output) { progress in last.change { $0 = progress } }
        #expect(result.exported == 40 && result.files == 4 && result.withoutID == 0)
        let end = try #require(last.value)
        #expect(end.phase == .exporting && end.unit == .resources && end.completed == 40 && end.total == 40 && end.fraction == 1)
        #expect(end.resources == 40 && end.committed == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
        #expect(names == ["Encounter.ndjson", "MedicationRequest.ndjson", "Observation.ndjson", "Patient.ndjson"])
        let sizes = try names.map { try Data(contentsOf: output.appendingPathComponent($0)).count }
        #expect(end.bytes == sizes.reduce(0, +))
        let copy = try freshStore()
        #expect(try await copy.importResources(from: output).counts == ImportCounts(added: 40))
        #expect(try copy.contents() == store.contents())
    }

    @Test func theBlockingFormWritesTheSame() throws {
        let store = try filled()
        func export() throws -> ExportResult { try store.export(to: output) }
        #expect(try export().exported == 40)
        let copy = try freshStore()
        try copy.importResources(from: output)
        #expect(try copy.contents() == store.contents())
    }

    @Test func aHandleGetsTheChosenTypes() throws {
        let store = try filled()
        var options = ExportOptions()
        options.types = ["Patient", "Encounter", "Patient"]
        let path = try folder.write("types.ndjson", "")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        #expect(try store.export(to: handle, options: options).exported == 20)
        try handle.close()
        let lines = try folder.read("types.ndjson").split(separator: "\n").map(String.init)
        #expect(Set(lines) == (try store.contents().filter { $0.contains(#":"Patient""#) || $0.contains(#":"Encounter""#) }))
        #expect(lines[0].hasPrefix(#"{"resourceType":"Patient""#) && lines[19].hasPrefix(#"{"resourceType":"Encounter""#))
        options.types = ["Horse"]
        #expect { try store.export(to: output, options: options) } throws: { ($0 as? FHIRStoreError)?.code == .invalidArgument }
    }

    @Test func resourcesWithoutAnIDGetOneIfAsked() throws {
        let store = try freshStore()
        let patient = Patient()
        try store.write { try $0.add(patient) }
        var options = ExportOptions()
        #expect(try store.export(to: output, options: options).withoutID == 1)
        options.assignsIDs = true
        #expect(try store.export(to: output, options: options).assignedIDs == 1)
        let line = try folder.read("out/Patient.ndjson").lowercased()
        #expect(line.contains("\(patient.pk)".lowercased()))
    }

    @Test func aCancelledExportLeavesNoFile() async throws {
        let store = try filled()
        let target = output
        let task = _Concurrency.Task {
            func run() throws { try store.export(to: target) { _ in withUnsafeCurrentTask { $0?.cancel() } } }
            try run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == [])
    }

    /// export:  first resources ── progress ─┐ waits        ┌─ goes on, sees the cancellation
    /// test:                                 └─ task.cancel ┘
    @Test func theAsynchronousFormIsCancelledToo() async throws {
        let store = try filled()
        let target = output
        let (reached, signal) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let task = _Concurrency.Task {
            try await store.export(to: target) { _ in
                signal.yield()
                gate.wait()
            }
        }
        for await _ in reached { break }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == [])
    }

    @Test func anErrorOfTheProgressEndsTheExport() async throws {
        struct Enough: Error {}
        let store = try filled()
        await #expect(throws: Enough.self) { try await store.export(to: output) { _ in throw Enough() } }
        func export() throws { try store.export(to: output) { _ in throw Enough() } }
        #expect(throws: Enough.self) { try export() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == [])
    }
}

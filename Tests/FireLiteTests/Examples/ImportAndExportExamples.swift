import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

// example GrowingModels.md
func dropCarePlans(from store: FHIRStore, keepingThemIn folder: URL) async throws {
    if try await store.query(CarePlan.self).exists() {
        var options = ExportOptions()
        options.types = ["CarePlan"]
        try await store.export(to: folder, options: options)
        try await store.deleteAll(CarePlan.self)
    }
}
// end

/// The examples of ImportAndExport.md.
@Suite(.soundStores) struct ImportAndExportExamples {
    private let place: TemporaryFolder

    init() throws { place = try TemporaryFolder() }

    /// An app's place for texts that could not be stored.
    private final class Quarantine: Sendable {
        let texts = Shared<[String]>([])

        func add(_ reason: String, _ text: String) { texts.change { $0.append(text) } }
    }

    private func file(_ name: String, _ text: String) throws -> URL { URL(fileURLWithPath: try place.write(name, text)) }

    private func makeFolder() throws -> URL {
        let folder = URL(fileURLWithPath: place.file("folder"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try place.write("folder/a.json", TransferSamples.patient("a"))
        return folder
    }

    @Test func aDroppedTypeIsExportedAndDeleted() async throws {
        let store = try freshStore()
        let folder = URL(fileURLWithPath: place.file("plans"))
        try await dropCarePlans(from: store, keepingThemIn: folder)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try await store.write { tx in
            try tx.add(CarePlan { $0.id = "1" })
            _ = try tx.add(Patient { $0.id = "2" })
        }
        try await dropCarePlans(from: store, keepingThemIn: folder)
        #expect(try await store.query(CarePlan.self).count() == 0)
        #expect(try await store.query(Patient.self).count() == 1)
        let imported = try await store.importResources(from: [folder])
        #expect(imported.counts.added == 1)
    }

    @Test func files() async throws {
        let store = try freshStore()
        let (download, folder) = (try file("download.ndjson", TransferSamples.lines(1...3)), try makeFolder())
        // example ImportAndExport.md
        let result = try await store.importResources(from: [download, folder])
        print(result.counts.added, result.counts.updated, result.counts.unchanged)
        // end
        #expect(result.counts.added == 4)
    }

    @Test func rejects() async throws {
        let store = try freshStore()
        let quarantine = Quarantine()
        let download = try file("download.ndjson", TransferSamples.lines(1...3) + "no resource\n")
        // example ImportAndExport.md
        var options = ImportOptions()
        options.onFault = .skip
        options.onReject = { fault, text in quarantine.add(fault.description, text) }
        let result = try await store.importResources(from: [download], options: options)
        for fault in result.rejects { print(fault) }
        // end
        #expect(result.counts.added == 3 && result.rejects.count == 1 && quarantine.texts.value == ["no resource"])
    }

    @Test func xml() async throws {
        let store = try freshStore()
        _ = try await store.importResources(from: [file("download.ndjson", TransferSamples.lines(1...3))])
        let folder = URL(fileURLWithPath: place.file("xml"))
        // example ImportAndExport.md
        var options = ExportOptions()
        options.format = .xml
        try await store.export(to: folder, options: options)
        // end
        let other = try freshStore()
        #expect(try await other.importResources(from: [folder]).counts.added == 3)
        #expect(try other.contents() == store.contents())
    }

    @Test func progress() async throws {
        let store = try freshStore()
        let download = try file("download.ndjson", TransferSamples.lines(1...3))
        // example ImportAndExport.md
        let task = _Concurrency.Task {
            try await store.importResources(from: [download]) { progress in
                if let fraction = progress.fraction { print("\(Int(fraction * 100)) %") }
            }
        }
        // end
        #expect(try await task.value.counts.added == 3)
    }

    @Test func download() async throws {
        let store = try freshStore()
        let body = AsyncStream<Data> { continuation in
            continuation.yield(Data(TransferSamples.lines(1...3).utf8))
            continuation.finish()
        }
        // example ImportAndExport.md
        let counts = try await store.importResources(from: body).counts
        // end
        #expect(counts.added == 3)
    }

    /// An app's request with a body.
    private final class Upload: Sendable {
        let body = Shared(Data())

        func send(_ chunk: Data) async throws { body.change { $0 += chunk } }
    }

    @Test func exportAsASequence() async throws {
        let store = try freshStore()
        _ = try await store.importResources(from: file("download.ndjson", TransferSamples.lines(1...3)))
        let upload = Upload()
        let options = ExportOptions()
        // example ImportAndExport.md
        for try await chunk in store.exportedChunks(options: options) {
            try await upload.send(chunk)
        }
        // end
        #expect(String(decoding: upload.body.value, as: UTF8.self) == TransferSamples.lines(1...3))
    }

    @Test func export() async throws {
        let store = try freshStore()
        let folder = try makeFolder()
        _ = try await store.importResources(from: [folder])
        // example ImportAndExport.md
        let result = try await store.export(to: folder)
        print(result.exported, result.files)
        // end
        #expect(result.exported == 1 && result.files == 1)
    }
}

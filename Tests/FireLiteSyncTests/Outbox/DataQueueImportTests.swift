import FireLiteLegacy
import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// A folder of the old DataQueue goes into the outbox in its order.
@Suite struct DataQueueImportTests {
    private func write(_ folder: TemporaryFolder, _ numbers: [Int]) throws {
        for number in numbers {
            try folder.write("QueuedResource-\(number).json", FHIRJSON.data(numbered(number, id: number == 9 ? "nine" : nil)))
        }
        try folder.write("notes.txt", "no resource")
    }

    @Test func filesAreSentInTheOrderOfTheirNumbers() async throws {
        let folder = try TemporaryFolder()
        try write(folder, [10, 9, 100, 2])
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        #expect(try await outbox.importDataQueue(from: URL(fileURLWithPath: folder.path)) == 4)
        #expect(try folder.names == ["notes.txt"])
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == [2, 9, 10, 100])
        #expect(server.requests.map(\.method) == [.post, .put, .post, .post])
    }

    @Test func importingTwiceIsImportingOnce() async throws {
        let folder = try TemporaryFolder()
        try write(folder, [1, 2])
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        let url = URL(fileURLWithPath: folder.path)
        #expect(try await outbox.importDataQueue(from: url, removingFiles: false) == 2)
        #expect(try await outbox.importDataQueue(from: url, removingFiles: false) == 0)
        try await outbox.flush()
        // Sent, and imported again: the server has them.
        #expect(try await outbox.importDataQueue(from: url) == 2)
        #expect(try await outbox.flush().sent.map(\.status) == [200, 200])
        #expect(server.numbers == [1, 2])
    }

    @Test(arguments: ["{", #"{"resourceType":"Nothing"}"#, #"{"resourceType":"Patient","id":"a/b"}"#])
    func aFileThatCannotBeReadStopsTheImport(_ text: String) async throws {
        let folder = try TemporaryFolder()
        try write(folder, [1, 3])
        try folder.write("QueuedResource-2.json", text)
        let outbox = try outbox(OutboxServerStub())
        let error = await #expect(throws: OutboxError.self) { try await outbox.importDataQueue(from: URL(fileURLWithPath: folder.path)) }
        #expect(error?.code == .file && error?.description.contains("QueuedResource-2.json") == true)
        #expect(try await outbox.entries().isEmpty && folder.names.count == 4)
    }
}

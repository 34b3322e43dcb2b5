import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// The asynchronous forms answer as the blocking ones, on another thread.
@Suite struct AsyncSearchTests {
    private static let view = ViewDefinition(
        name: "patient_names", resource: "Patient",
        selects: [ViewDefinition.Select(columns: [.init(name: "id", path: "id"), .init(name: "family", path: "name.first().family")])])

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ name: String) throws -> FHIRStore {
        let store = try FHIRStore(path: folder.file("\(name).sqlite"), release: .r4)
        try store.write { tx in
            for number in 1...3 {
                try tx.add(
                    Patient {
                        $0.id = "\(number)"
                        $0.name = [HumanName { $0.family = "Family \(number)" }]
                    })
            }
        }
        return store
    }

    @Test func asynchronousFormsAnswerAsBlockingOnes() async throws {
        let (store, other) = (try store("a"), try store("b"))
        let blocking = Blocking(store: other)
        try await #expect(store.createIndexes(forSearch: ["Patient.name"]).map(\.name) == blocking.indexes())
        let explanation = try await store.explainSearch("Patient?name=family")
        let expected = try blocking.explanation()
        #expect(explanation.statements.map(\.sql) == expected.statements.map(\.sql))
        #expect(explanation.indexes == expected.indexes && !expected.indexes.isEmpty)
        try await #expect(store.sql(of: Self.view) == blocking.sql(of: Self.view))
        try await store.createView(Self.view)
        try await #expect(store.sql("SELECT family FROM patient_names").map { $0[0].text } == ["Family 1", "Family 2", "Family 3"])
        try await #expect(store.createStandardViews() == blocking.views())
        let count = try await store.writeRows(of: Self.view, as: .csv, to: URL(fileURLWithPath: folder.file("a.csv")))
        #expect(try count == blocking.write(Self.view, to: folder.file("b.csv")))
        #expect(try folder.read("a.csv") == folder.read("b.csv"))
    }

    @Test func aCancelledFormLeavesNothing() async throws {
        let store = try store("c")
        let path = folder.file("c.csv")
        let task = _Concurrency.Task {
            while !_Concurrency.Task.isCancelled { await _Concurrency.Task.yield() }
            return try await store.writeRows(of: Self.view, as: .csv, to: URL(fileURLWithPath: path))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// The blocking forms, which asynchronous code does not choose.
private struct Blocking {
    let store: FHIRStore

    func indexes() throws -> [String] { try store.createIndexes(forSearch: ["Patient.name"]).map(\.name) }
    func explanation() throws -> SearchExplanation { try store.explainSearch("Patient?name=family") }
    func sql(of view: ViewDefinition) throws -> String { try store.sql(of: view) }
    func views() throws -> [String] { try store.createStandardViews() }
    func write(_ view: ViewDefinition, to path: String) throws -> Int {
        try store.writeRows(of: view, as: .csv, to: URL(fileURLWithPath: path))
    }
}

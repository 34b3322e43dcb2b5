import FireLiteR4Names
import FireLiteUI
import Foundation
import Observation
import Testing

// This file imports neither FireLiteR4 nor anything that does: `Task`, `List` and `Observation` mean what they mean in Swift.

// example FireLiteR4Names.md
func activePatients(_ store: FHIRStore) throws -> [R4.Patient] {
    try store.query(R4.Patient.self).where { $0.active == true }.all()
}
// end

/// A model of a screen, with Swift's macro and task beside FHIR's types of the same names.
@MainActor @Observable
private final class TaskListModel {
    private(set) var tasks: [R4.Task] = []
    private(set) var lists: [R4.List] = []
    @ObservationIgnored private var loading: Task<Void, Never>?

    func load(from store: FHIRStore) -> Task<Void, Never> {
        let task = Task {
            tasks = (try? await store.query(R4.Task.self).where { $0.status == .requested }.all()) ?? []
            lists = (try? await store.query(R4.List.self).all()) ?? []
        }
        loading = task
        return task
    }
}

struct NamesExamples {
    @MainActor @Test func observationAndTasksOfSwiftStandBesideThoseOfFHIR() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in
            try tx.add(
                R4.Task {
                    $0.id = "1"
                    $0.status = .requested
                })
            try tx.add(R4.Task { $0.status = .completed })
            try tx.add(R4.List { $0.title = "Visits" })
            _ = try tx.add(R4.Observation { $0.effective = .dateTime("2024-05-01") })
        }
        let model = TaskListModel()
        let (changes, changed) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = model.tasks
        } onChange: {
            changed.yield()
        }
        await model.load(from: store).value
        var iterator = changes.makeAsyncIterator()
        await iterator.next()
        #expect(model.tasks.compactMap(\.id) == ["1"] && model.lists.map(\.title) == ["Visits"])
        #expect(Bundle.main.bundlePath.isEmpty == false)
    }

    @Test func theExampleOfThePageRuns() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in try tx.add(R4.Patient { $0.active = true }) }
        #expect(try activePatients(store).count == 1)
    }

    @Test func namesAreTheTypesThemselves() {
        func isSame<Value>(_ value: Value) -> Bool { type(of: value) == R4.Patient.self }
        #expect(isSame(R4.Patient()))
        #expect(R4.PatientContact.self == type(of: R4.PatientContact()))
        #expect(R4.AdministrativeGender.female.rawValue == "female")
    }
}

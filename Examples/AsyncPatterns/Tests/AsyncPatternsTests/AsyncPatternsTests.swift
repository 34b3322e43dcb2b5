import AsyncPatterns
import FireLite
import FireLiteR4
import Testing

@Suite struct AsyncPatternsTests {
    private func patients(_ years: [Int]) -> [Patient] {
        years.map { year in
            Patient {
                $0.id = "\(year)"
                $0.active = true
                $0.birthDate = FHIRDate(year: year)
                $0.name = [HumanName { $0.family = "Family \(year % 3)" }]
            }
        }
    }

    @Test func anActorTakesObjectsOverAndGivesThemAway() async throws {
        let repository = PatientRepository(try FHIRStore.inMemory(release: .r4))
        let saved = try await repository.save(Patient { $0.id = "1" })
        #expect(saved.id == "1" && saved.isManaged)
        let count = try await repository.save(patients([1950, 1990]))
        let stored = await repository.stored
        #expect(count == 2 && stored == 3)
        try await repository.rename("1950", to: "Jones")
        let renamed = try await repository.patient("1950")
        #expect(renamed?.name.first?.family == "Jones")
        let changed = try await repository.deactivateAll(bornBefore: "1960")
        let old = try await repository.patient("1950")
        #expect(changed == 1 && old?.active == false)
    }

    @MainActor @Test func aViewModelFollowsTheStore() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let model = PatientListModel(store)
        let (shown, signal) = AsyncStream.makeStream(of: Int.self)
        let task = _Concurrency.Task { await model.follow { signal.yield($0.patients.count) } }
        var updates = shown.makeAsyncIterator()
        #expect(await updates.next() == 0)
        try await model.add(family: "Miller")
        #expect(await updates.next() == 1)
        #expect(model.patients.first?.name.first?.family == "Miller")
        task.cancel()
        await task.value
        #expect(model.message == nil)
        let patient = try #require(model.patients.first)
        try model.setGender(of: patient, .female)
        let genders = try await store.query(Patient.self).values(\.gender)
        #expect(genders == [.female])
    }

    @Test func aTaskGroupReadsAtOnce() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patients = patients([1950, 1951, 1961, 1999])
        try await store.write { tx in _ = try tx.upsert(patients) }
        let report = try await PatientReport.make(store, decades: [1950, 1960, 1970])
        #expect(report.births == [1950: 2, 1960: 1, 1970: 0])
        #expect(report.families == ["Family 0", "Family 1", "Family 2"])
    }
}

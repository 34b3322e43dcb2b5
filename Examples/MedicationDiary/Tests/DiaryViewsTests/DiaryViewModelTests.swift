import DiaryModel
import DiaryViews
import Observation
import Testing

@Suite @MainActor struct DiaryViewModelTests {
    /// Waits until `value` is true of what it reads, whenever that changes.
    private func until(_ value: @escaping @MainActor () -> Bool) async {
        let (changes, changed) = AsyncStream.makeStream(of: Void.self)
        var iterator = changes.makeAsyncIterator()
        while !withObservationTracking(value, onChange: { changed.yield() }) { await iterator.next() }
    }

    @Test func changesAreShownWhoeverMakesThem() async throws {
        let diary = try Diary.inMemory()
        let model = DiaryViewModel(diary)
        await until { model.doses.map(\.count) == [Int](repeating: 0, count: 14) }

        await model.note("Ibuprofen 200 mg", dosage: nil)
        await until { model.entries.count == 1 }
        let entry = try #require(model.entries.first)
        try await diary.take(entry.id)
        await until { model.doses.map(\.count).reduce(0, +) == 1 && model.entries.first?.lastTaken != nil }

        await model.edit(entry, dosage: "1 for headache", status: nil)
        await until { model.entries.map(\.dosage) == ["1 for headache"] }
        await model.stop(entry)
        await until { model.entries.isEmpty }
    }

    @Test func theSearchTextDecidesWhatIsShown() async throws {
        let diary = try Diary.inMemory()
        try await diary.note("Ibuprofen 200 mg")
        try await diary.note("Vitamin D3")
        let model = DiaryViewModel(diary)
        await until { model.entries.count == 2 }
        model.searchText = "vit"
        await until { model.entries.map(\.name) == ["Vitamin D3"] }
        model.searchText = ""
        await until { model.entries.count == 2 }
    }

    @Test func aFailureIsShownUntilTheNextSuccess() async throws {
        let model = DiaryViewModel(try Diary.inMemory())
        await model.note("Ibuprofen 200 mg", dosage: nil)
        await until { model.entries.count == 1 }
        let entry = try #require(model.entries.first)
        await model.edit(entry, dosage: nil, status: "paused")
        #expect(model.errorMessage?.hasPrefix("unknown status") == true)
        #expect(model.entries == [entry])
        await model.take(entry)
        #expect(model.errorMessage == nil)
    }
}

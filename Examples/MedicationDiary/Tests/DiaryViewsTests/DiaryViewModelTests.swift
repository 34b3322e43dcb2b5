import DiaryModel
import DiaryViews
import Testing

@Suite @MainActor struct DiaryViewModelTests {
    @Test func changesAreShownAtOnce() async throws {
        let diary = try Diary.inMemory()
        let model = DiaryViewModel(diary)
        await model.load()
        #expect(model.entries.isEmpty)
        #expect(model.doses.map(\.count) == [Int](repeating: 0, count: 14))

        await model.note("Ibuprofen 200 mg", dosage: nil)
        let entry = try #require(model.entries.first)
        await model.take(entry)
        #expect(model.doses.map(\.count).reduce(0, +) == 1)
        #expect(model.entries.first?.lastTaken != nil)

        await model.edit(entry, dosage: "1 for headache", status: nil)
        #expect(model.entries.map(\.dosage) == ["1 for headache"])
        await model.stop(entry)
        #expect(model.entries.isEmpty)
    }

    @Test func theSearchTextDecidesWhatIsShown() async throws {
        let diary = try Diary.inMemory()
        try await diary.note("Ibuprofen 200 mg")
        try await diary.note("Vitamin D3")
        let model = DiaryViewModel(diary)
        model.searchText = "vit"
        await model.load()
        #expect(model.entries.map(\.name) == ["Vitamin D3"])
    }

    @Test func aFailureIsShownUntilTheNextSuccess() async throws {
        let model = DiaryViewModel(try Diary.inMemory())
        await model.note("Ibuprofen 200 mg", dosage: nil)
        let entry = try #require(model.entries.first)
        await model.edit(entry, dosage: nil, status: "paused")
        #expect(model.errorMessage?.hasPrefix("unknown status") == true)
        #expect(model.entries == [entry])
        await model.load()
        #expect(model.errorMessage == nil)
    }
}

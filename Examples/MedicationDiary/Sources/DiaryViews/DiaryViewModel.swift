import DiaryModel
import FireLiteUI
import Observation

/// What the screen shows, and what its buttons do. It needs no SwiftUI, so it is tested on Linux too.
@Observable @MainActor
public final class DiaryViewModel {
    /// What went wrong last; nil if nothing did.
    public private(set) var errorMessage: String?
    public var searchText = "" { didSet { medications.follow(Self.search(searchText)) } }
    private let diary: Diary
    // Both follow the store, whoever changes it.
    private let medications: LiveValue<[DiaryEntry]>
    private let counts: LiveValue<[DailyDoses]>

    public init(_ diary: Diary) {
        self.diary = diary
        medications = LiveValue(in: diary.store, Self.search(""))
        counts = LiveValue(in: diary.store) { try Diary.doses(days: 14, in: $0) }
    }

    public var entries: [DiaryEntry] { medications.value ?? [] }
    public var doses: [DailyDoses] { counts.value ?? [] }

    public func take(_ entry: DiaryEntry) async { await run { try await $0.take(entry.id) } }
    public func note(_ name: String, dosage: String?) async { await run { try await $0.note(name, dosage: dosage) } }
    public func stop(_ entry: DiaryEntry) async { await edit(entry, dosage: nil, status: "stopped") }

    public func edit(_ entry: DiaryEntry, dosage: String?, status: String?) async {
        await run { try await $0.edit(entry.id, dosage: dosage, status: status) }
    }

    private static func search(_ text: String) -> @Sendable (ReadTransaction) throws -> [DiaryEntry] {
        { try Diary.entries(text.isEmpty ? .current : .matching(text), in: $0) }
    }

    private func run(_ change: (Diary) async throws -> Void) async {
        do {
            try await change(diary)
            errorMessage = nil
        } catch { errorMessage = error.localizedDescription }
    }
}

import DiaryModel
import Observation

/// What the screen shows, and what its buttons do. It needs no SwiftUI, so it is tested on Linux too.
@Observable @MainActor
public final class DiaryViewModel {
    public private(set) var entries: [DiaryEntry] = []
    public private(set) var doses: [DailyDoses] = []
    /// What went wrong last; nil if nothing did.
    public private(set) var errorMessage: String?
    public var searchText = ""
    private let diary: Diary

    public init(_ diary: Diary) { self.diary = diary }

    public func load() async { await run { _ in } }

    public func take(_ entry: DiaryEntry) async { await run { try await $0.take(entry.id) } }

    public func note(_ name: String, dosage: String?) async { await run { try await $0.note(name, dosage: dosage) } }

    public func edit(_ entry: DiaryEntry, dosage: String?, status: String?) async {
        await run { try await $0.edit(entry.id, dosage: dosage, status: status) }
    }

    public func stop(_ entry: DiaryEntry) async { await edit(entry, dosage: nil, status: "stopped") }

    private func run(_ change: (Diary) async throws -> Void) async {
        do {
            try await change(diary)
            try await reload()
            errorMessage = nil
        } catch is CancellationError {
            // The view is gone, or shows something else by now.
        } catch {
            errorMessage = error.localizedDescription
        }
    }

    // MARK: - Reloading

    /// Reads again what is shown, after each change made here. This is the one place to replace to follow every change of the store.
    private func reload() async throws {
        let shown = searchText
        let found = try await diary.entries(shown.isEmpty ? .current : .matching(shown))
        let counted = try await diary.doses(days: 14)
        // The text has changed meanwhile: the load that this started brings the newer result.
        guard shown == searchText else { return }
        (entries, doses) = (found, counted)
    }
}

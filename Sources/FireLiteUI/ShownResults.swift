import FireLiteCore
import Observation

/// The results of a ``/FireLite/LiveQuery`` as a screen shows them: each change goes through a block of yours, for example to animate it.
///
/// ```swift
/// let shown = ShownResults(live) { changes, show in
///     if changes == nil { show() } else { withAnimation { show() } }
/// }
/// ```
/// SwiftUI animates what changes within `withAnimation`, and a live query changes by itself, outside of it.
@MainActor @Observable
public final class ShownResults<Resource: FHIRResource> {
    /// A block that shows new results by calling `show` before it returns. `changes` are those since the results that are shown; nil if they are not known, as
    /// for the first results, and after several changes at once.
    public typealias Presentation = @MainActor (_ changes: ResultChanges?, _ show: () -> Void) -> Void

    /// The results that are shown.
    public private(set) var results: [Resource] = []
    /// The live results that are shown.
    public let live: LiveQuery<Resource>

    @ObservationIgnored private let present: Presentation
    @ObservationIgnored private var tracker: ChangeTracker?

    /// Begins to show the results of a live query.
    ///
    /// - Parameters:
    ///   - live: what is followed; its query can be set.
    ///   - present: shows new results; it must call `show` before it returns. Default: shows them at once.
    public init(_ live: LiveQuery<Resource>, present: @escaping Presentation = { _, show in show() }) {
        self.live = live
        self.present = present
        results = live.results
        tracker = ChangeTracker({ _ = live.results }) { [weak self] count in self?.update(after: count) }
    }

    private func update(after count: Int) {
        let newest = live.results
        // The differences of the last of several changes do not lead from what is shown to what is there now.
        let isStep = count == 1 && !live.isLoading
        present(isStep ? live.changes : nil) { results = newest }
    }
}

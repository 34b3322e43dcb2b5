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
    @ObservationIgnored private let signal: AsyncStream<Void>.Continuation
    @ObservationIgnored private var task: TaskUntilRelease?
    /// The number of changes that are not shown yet.
    @ObservationIgnored private var waiting = 0

    /// Begins to show the results of a live query.
    ///
    /// - Parameters:
    ///   - live: what is followed; its query can be set.
    ///   - present: shows new results; it must call `show` before it returns. Default: shows them at once.
    public init(_ live: LiveQuery<Resource>, present: @escaping Presentation = { _, show in show() }) {
        self.live = live
        self.present = present
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signal = signal
        results = live.results
        track()
        task = TaskUntilRelease(
            number: 0,
            Task { [weak self] in
                for await _ in signals {
                    guard let self else { return }
                    update()
                }
            })
    }

    /// Notices the next change. Observation reports it before it happens, so it is shown in a later turn of the main actor.
    private func track() {
        withObservationTracking {
            _ = live.results
        } onChange: { [weak self] in
            guard let self else { return }
            // A live query belongs to the main actor, so all its changes happen there.
            MainActor.assumeIsolated { self.noteChange() }
        }
    }

    private func noteChange() {
        waiting += 1
        track()
        signal.yield()
    }

    private func update() {
        let newest = live.results
        // The differences of the last of several changes do not lead from what is shown to what is there now.
        let isStep = waiting == 1 && !live.isLoading
        waiting = 0
        present(isStep ? live.changes : nil) { results = newest }
    }
}

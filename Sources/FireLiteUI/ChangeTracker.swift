import Observation

/// Calls a block in a later turn of the main actor whenever something observable that another block reads has changed. It stops when it is released.
///
/// Observation reports a change before it happens, so the block cannot run at once.
@MainActor
final class ChangeTracker {
    // The task holds none of the blocks, so that what they use is released with the tracker and not when the task has noticed its cancellation.
    private let read: @MainActor () -> Void
    private let update: @MainActor (_ count: Int) -> Void
    private let signal: AsyncStream<Void>.Continuation
    private var task: TaskUntilRelease?
    /// The number of changes since the last call.
    private var waiting = 0

    /// Begins to look for changes.
    ///
    /// - Parameters:
    ///   - read: reads what is tracked.
    ///   - update: called with the number of changes since the last call, at least one.
    init(_ read: @escaping @MainActor () -> Void, update: @escaping @MainActor (_ count: Int) -> Void) {
        self.read = read
        self.update = update
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signal = signal
        track()
        task = TaskUntilRelease(
            number: 0,
            Task { [weak self] in
                for await _ in signals {
                    guard let self else { return }
                    report()
                }
            })
    }

    private func report() {
        let count = waiting
        waiting = 0
        update(count)
    }

    /// Notices the next change.
    private func track() {
        withObservationTracking {
            read()
        } onChange: { [weak self] in
            guard let self else { return }
            // What is tracked belongs to the main actor, so all its changes happen there.
            MainActor.assumeIsolated { self.noteChange() }
        }
    }

    private func noteChange() {
        waiting += 1
        track()
        signal.yield()
    }
}

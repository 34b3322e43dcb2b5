import Observation

/// A live resource or value as a view shows it: each change goes through a block, for example to animate it.
@MainActor @Observable
final class ShownValue<Value> {
    /// A block that shows a new value by calling `show` before it returns. `isChange` says whether another one, or that there is none, was shown before; it is
    /// false for the first value.
    typealias Presentation = @MainActor (_ isChange: Bool, _ show: () -> Void) -> Void

    /// The value that is shown; nil until there is one, and when it is gone.
    var value: Value? {
        access(keyPath: \.value)
        return current
    }

    // The macro's own property would not report that the same object has changed.
    @ObservationIgnored private var current: Value?
    @ObservationIgnored private var hasShown = false
    @ObservationIgnored private let present: Presentation
    @ObservationIgnored private var tracker: ChangeTracker?

    /// Begins to show a value.
    ///
    /// - Parameters:
    ///   - read: reads the live value, which is tracked.
    ///   - present: shows a new value; it must call `show` before it returns.
    init(_ read: @escaping @MainActor () -> Value?, present: @escaping Presentation) {
        self.present = present
        tracker = ChangeTracker({ _ = read() }) { [weak self] _ in self?.update(read()) }
    }

    private func update(_ newest: Value?) {
        present(hasShown) { withMutation(keyPath: \.value) { current = newest } }
        hasShown = true
    }
}

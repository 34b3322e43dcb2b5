import FireLiteCore
import Observation

/// A count, an aggregate or anything else that is read from a store, for a user interface: an object of the main actor that follows the store by
/// itself.
///
/// ```swift
/// let active = LiveValue(in: store) { try $0.query(Patient.self).where { $0.active }.count() }
/// // In a view: Text(active.value.map(String.init) ?? "–")
/// ```
/// Its properties are observed with Swift's Observation framework. The block runs again after each commit that changed something it has read, on a
/// thread of the store. It stops when it is released, and keeps its last value when the store is closed.
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
    /// The value; nil until it has been read.
    public private(set) var value: Value?
    /// Whether a value is awaited: at first, and after ``follow(_:)``.
    public private(set) var isLoading = true
    /// Why the value is no longer followed; nil while it is.
    public private(set) var error: (any Error)?

    @ObservationIgnored private let store: FHIRStore
    @ObservationIgnored private let interval: Duration
    @ObservationIgnored private var task: TaskUntilRelease?

    /// Begins to follow a value.
    ///
    /// - Parameters:
    ///   - store: the store that is read.
    ///   - interval: the shortest time between two reads. Default: 50 milliseconds.
    ///   - read: reads the value from a snapshot. A value that is equal to the last one is not shown again.
    public init(
        in store: FHIRStore, every interval: Duration = UpdateInterval.standard,
        _ read: @escaping @Sendable (ReadTransaction) throws -> Value
    ) {
        self.store = store
        self.interval = interval
        follow(read)
    }

    /// Follows another value from now on, as when a filter changes. The last value stays until the new one has been read.
    ///
    /// - Parameter read: reads the value from a snapshot.
    public func follow(_ read: @escaping @Sendable (ReadTransaction) throws -> Value) {
        isLoading = true
        error = nil
        let updates = store.updates(every: interval, read)
        let number = (task?.number ?? 0) + 1
        task = TaskUntilRelease(
            number: number,
            Task { [weak self] in
                do {
                    for try await value in updates {
                        guard let self, self.task?.number == number else { return }
                        self.show(value)
                    }
                } catch is CancellationError {
                    return
                } catch {
                    guard let self, self.task?.number == number else { return }
                    self.error = error
                    isLoading = false
                }
            })
    }

    private func show(_ value: Value) {
        self.value = value
        isLoading = false
    }
}

/// A task that is cancelled with its owner, and when another one takes its place.
final class TaskUntilRelease: Sendable {
    /// Which task of its owner it is: a value of an earlier one may still be on its way.
    let number: Int
    private let task: Task<Void, Never>

    init(number: Int, _ task: Task<Void, Never>) {
        self.number = number
        self.task = task
    }

    deinit { task.cancel() }
}

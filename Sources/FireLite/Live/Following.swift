/// An object of the main actor that shows what it follows.
@MainActor
protocol Follower: AnyObject {
    associatedtype State

    func show(_ state: State)

    /// Nothing more is followed.
    func end(with error: any Error)
}

/// The task of a live object, which ends with it.
final class Following: Sendable {
    let signal: ChangeSignal
    private let task: Task<Void, Never>

    init(signal: ChangeSignal, task: Task<Void, Never>) {
        self.signal = signal
        self.task = task
    }

    deinit { task.cancel() }

    /// Shows each state until the owner is released, the task is cancelled or an error ends it.
    ///
    /// - Parameters:
    ///   - owner: the object that follows; nil once it is released. Asked each time, so that following does not keep it.
    ///   - next: waits for the next state; nil at the end.
    @MainActor
    static func follow<Owner: Follower>(for owner: () -> Owner?, _ next: () async throws -> Owner.State?) async {
        do {
            while !Task.isCancelled, let state = try await next() {
                guard let owner = owner() else { return }
                owner.show(state)
            }
        } catch is CancellationError {
            return
        } catch {
            owner()?.end(with: error)
        }
    }
}

import Foundation

/// Passes elements from a thread that reads to the task that iterates over them. Some are read ahead, so that both stay busy, and the thread
/// waits when there are enough, so that memory stays bounded.
///
/// `@unchecked Sendable`: `condition` is held for every access.
package final class ReadAhead<Element: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private let capacity: Int
    private let cancellation: Cancellation
    private var elements: [Element] = []
    private var size = 0
    private var end: Result<Void, any Error>?
    private var isUnwanted = false
    /// The task that waits for an element.
    private var waiting: CheckedContinuation<[Element]?, any Error>?

    /// - Parameters:
    ///   - capacity: the size of the elements that wait, after which the thread waits too.
    ///   - cancellation: requested when nobody wants more elements.
    init(capacity: Int, cancellation: Cancellation) {
        self.capacity = capacity
        self.cancellation = cancellation
    }

    // MARK: - Reading thread

    /// Waits for room and hands over an element.
    ///
    /// - Throws: `CancellationError` if nobody wants more.
    func put(_ element: Element, size: Int) throws {
        let continuation = try add(element, size)
        continuation?.resume(returning: [element])
    }

    /// Adds the element, unless the returned task waits for it.
    private func add(_ element: Element, _ size: Int) throws -> CheckedContinuation<[Element]?, any Error>? {
        condition.lock()
        defer { condition.unlock() }
        while self.size >= capacity, !isUnwanted { condition.wait() }
        if isUnwanted { throw CancellationError() }
        if let continuation = takeWaiting() { return continuation }
        elements.append(element)
        self.size += size
        return nil
    }

    /// Marks the end of the elements, or a failure, which is thrown after them.
    func finish(_ result: Result<Void, any Error>) {
        condition.lock()
        let continuation = takeWaiting()
        // A failure is thrown once.
        end = continuation == nil ? result : .success(())
        condition.unlock()
        continuation?.resume(with: result.map { nil })
    }

    // MARK: - Iterating task

    /// All elements that wait, at least one; nil after the last.
    ///
    /// - Throws: what ended the reading; `CancellationError` if the task was cancelled.
    func next() async throws -> [Element]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let outcome = take(continuation) { continuation.resume(with: outcome) }
            }
        } onCancel: {
            stop()
        }
    }

    /// What is there; nil if the continuation waits for it.
    private func take(_ continuation: CheckedContinuation<[Element]?, any Error>) -> Result<[Element]?, any Error>? {
        condition.lock()
        defer { condition.unlock() }
        if isUnwanted { return .failure(CancellationError()) }
        if !elements.isEmpty {
            defer { removeElements() }
            return .success(elements)
        }
        if let end {
            self.end = .success(())
            return end.map { nil }
        }
        waiting = continuation
        return nil
    }

    /// Ends the work of the thread.
    func stop() {
        condition.lock()
        isUnwanted = true
        removeElements()
        let continuation = takeWaiting()
        condition.unlock()
        continuation?.resume(throwing: CancellationError())
        cancellation.request()
    }

    private func removeElements() {
        elements = []
        size = 0
        condition.broadcast()
    }

    private func takeWaiting() -> CheckedContinuation<[Element]?, any Error>? {
        defer { waiting = nil }
        return waiting
    }
}

import Foundation

/// Answers about codes that several threads remember, in parts with a lock each: with one lock, two threads that validate would wait for each other
/// at every code.
///
/// `@unchecked Sendable`: the lock of a part guards its answers.
final class RememberedAnswers<Question: Hashable & Sendable, Answer: Sendable>: @unchecked Sendable {
    // Not an object, whose references all threads would count.
    private struct Part {
        let lock = NSLock()
        var answers: [Question: Answer] = [:]
    }

    private static var partCount: Int { 32 }

    private let parts = UnsafeMutablePointer<Part>.allocate(capacity: partCount)
    private let limit: Int

    /// - Parameter limit: about how many answers are remembered. The answers of a part that has more are forgotten, all at once.
    init(limit: Int) {
        self.limit = limit / Self.partCount
        for index in 0..<Self.partCount { (parts + index).initialize(to: Part()) }
    }

    deinit {
        parts.deinitialize(count: Self.partCount)
        parts.deallocate()
    }

    /// The part with the answers about a code. The last characters of codes differ most.
    private func part(_ code: String) -> UnsafeMutablePointer<Part> {
        let mark = code.utf8.suffix(2).reduce(code.utf8.count) { $0 &* 7 &+ Int($1) }
        return parts + mark & (Self.partCount - 1)
    }

    /// What is remembered; nil if nothing is.
    func answer(to question: Question, about code: String) -> Answer? {
        let part = part(code)
        part.pointee.lock.lock()
        defer { part.pointee.lock.unlock() }
        return part.pointee.answers[question]
    }

    func remember(_ answer: Answer, to question: Question, about code: String) {
        let part = part(code)
        part.pointee.lock.lock()
        defer { part.pointee.lock.unlock() }
        if part.pointee.answers.count >= limit { part.pointee.answers.removeAll() }
        part.pointee.answers[question] = answer
    }
}

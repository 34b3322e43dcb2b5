import FireLite
import Foundation

/// A thread that stores the same resources over and over, with another content each time.
///
/// `@unchecked Sendable`: `condition` is held for every access to the variables.
final class BusyWriter: @unchecked Sendable {
    private let condition = NSCondition()
    private var isStopped = false
    private var isEnded = false
    private var writes = 0
    private var failure: (any Error)?

    init(_ store: FHIRStore, _ corpus: Corpus) {
        let thread = Thread { [self] in
            var result: (any Error)?
            do {
                while !shouldStop {
                    for isEdited in [true, false] {
                        let resources = try corpus.objects()
                        if isEdited { for resource in resources { FieldChange.apply(to: resource) } }
                        try store.write { _ = try $0.upsert(resources) }
                    }
                    condition.lock()
                    writes += 2
                    condition.broadcast()
                    condition.unlock()
                }
            } catch { result = error }
            condition.lock()
            failure = result
            isEnded = true
            condition.broadcast()
            condition.unlock()
        }
        thread.stackSize = 16 << 20
        thread.start()
        // It is busy from the first write on.
        condition.lock()
        while writes == 0, !isEnded { condition.wait() }
        condition.unlock()
    }

    private var shouldStop: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isStopped
    }

    /// - Returns: how many writes there were.
    func stop() throws -> Int {
        condition.lock()
        defer { condition.unlock() }
        isStopped = true
        while !isEnded { condition.wait() }
        if let failure { throw failure }
        return writes
    }
}

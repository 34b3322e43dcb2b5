import Foundation

/// Work on the entries of a Bundle that concerns each alone, which several threads share if there are many.
enum EntryWork {
    /// The number of entries that a thread takes at a time.
    private static let portion = 128

    /// What `work` makes of each entry, in the order of the entries.
    ///
    /// - Precondition: calls for different entries neither change the same objects, nor need the thread of the store's write.
    static func results<Value>(_ requests: [BundleRequest], _ work: (BundleRequest) -> Value) -> [Value] {
        guard requests.count > 2 * portion else { return requests.map(work) }
        return [Value](unsafeUninitializedCapacity: requests.count) { values, count in
            guard let start = values.baseAddress else { return }
            withoutActuallyEscaping(work) { work in
                let shared = Shared(requests: requests, work: work, start: start)
                let portions = (requests.count + portion - 1) / portion
                DispatchQueue.concurrentPerform(iterations: portions) { shared.fill($0 * portion) }
            }
            count = requests.count
        }
    }

    /// What the threads share.
    ///
    /// `@unchecked Sendable`: each call does the work for entries of its own, puts the results into places of its own, and nothing reads them before all
    /// calls have ended.
    private struct Shared<Value>: @unchecked Sendable {
        let requests: [BundleRequest]
        let work: (BundleRequest) -> Value
        let start: UnsafeMutablePointer<Value>

        func fill(_ first: Int) {
            for place in first..<min(first + portion, requests.count) { (start + place).initialize(to: work(requests[place])) }
        }
    }
}

import Foundation

/// The codes of a release's bindings, each made into a set on first use.
final class BindingCodes: @unchecked Sendable {
    // `lock` guards `known`.
    private let lock = NSLock()
    private var known: [String: Set<Substring>] = [:]

    func codes(of binding: String, _ make: () -> [Substring]) -> Set<Substring> {
        lock.lock()
        defer { lock.unlock() }
        if let found = known[binding] { return found }
        let codes = Set(make())
        known[binding] = codes
        return codes
    }
}

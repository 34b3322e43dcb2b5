import Foundation

/// Texts that are made once: descriptions of the server, which change only with the definitions in the store.
///
/// `@unchecked Sendable`: `lock` guards `texts`.
final class DescriptionCache: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String: String] = [:]

    /// The text for a key, made if it is not known.
    func text(_ key: String, _ make: () throws -> String) rethrows -> String {
        if let known = lock.withLock({ texts[key] }) { return known }
        let made = try make()
        lock.withLock { texts[key] = made }
        return made
    }
}

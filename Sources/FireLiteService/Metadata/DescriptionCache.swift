import FireLiteCrypto
import Foundation

/// Texts that are made once: descriptions of the server, which change only with the definitions in the store.
///
/// `@unchecked Sendable`: `lock` guards `texts`.
final class DescriptionCache: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String: (text: String, tag: String)] = [:]
    /// The number of texts that are kept: clients that may change definitions could ask for very many.
    private static let most = 16

    /// The text for a key, made if it is not known, and an entity tag that other texts do not have.
    func text(_ key: String, _ make: () throws -> String) rethrows -> (text: String, tag: String) {
        if let known = lock.withLock({ texts[key] }) { return known }
        let text = try make()
        let digest = HashAlgorithm.sha256.digest(of: Data(text.utf8)).prefix(16)
        let made = (text, "W/\"\(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\"")
        lock.withLock {
            if texts.count >= Self.most { texts = [:] }
            texts[key] = made
        }
        return made
    }
}

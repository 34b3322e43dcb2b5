import FireLiteCore
import Foundation

extension JSONItem {
    /// Reads a value strictly.
    ///
    /// - Throws: ``TrustError/Code/malformed``.
    static func read(_ data: Data) throws -> JSONItem {
        do throws(JSONItemError) { return try JSONItemReader.read(data) } catch {
            throw TrustError(.malformed, "there is no valid JSON at byte \(error.offset)")
        }
    }
}

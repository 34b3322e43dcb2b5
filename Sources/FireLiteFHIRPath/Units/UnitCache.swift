import Foundation

/// The units that were parsed lately.
enum UnitCache {
    /// The unit of a UCUM code; nil if it is unknown.
    static func unit(_ code: String) -> Unit? { cache.unit(code) }

    private static let cache = Cache()

    private final class Cache: @unchecked Sendable {
        // `lock` guards `units`.
        private let lock = NSLock()
        private var units: [String: Unit?] = [:]

        /// More units than a store usually has.
        private static let limit = 500

        func unit(_ code: String) -> Unit? {
            lock.lock()
            if let known = units[code] {
                lock.unlock()
                return known
            }
            lock.unlock()
            let unit = UnitParser.unit(code)
            lock.lock()
            if units.count >= Self.limit { units.removeAll() }
            units[code] = .some(unit)
            lock.unlock()
            return unit
        }
    }
}

import Foundation

/// How much of a long test is done: all of it, and a tenth where `FIRELITE_SANITIZER` is set, as sanitizers make everything some ten times slower.
///
/// For tests that do the same again and again with other data, which is what a sanitizer can do without.
public enum Effort {
    public static let isReduced = ProcessInfo.processInfo.environment["FIRELITE_SANITIZER"] != nil

    /// So many, or a tenth, but one at least.
    public static func count(_ full: Int) -> Int { isReduced ? max(1, full / 10) : full }

    /// The seeds from 0 on, or the first tenth of them.
    public static func seeds(_ full: Int) -> Range<UInt64> { 0..<UInt64(count(full)) }

    /// The seeds from 0 on: all of them where `FIRELITE_NIGHTLY` is set, else those of the day, a tenth of them under a sanitizer.
    public static func seeds(byDay: Int, atNight: Int) -> Range<UInt64> { seeds(isNightly ? atNight : byDay) }

    /// The seeds that a variable of the environment names: one, as in `7`, or a part of a long run, as in `4000..<8000`; nil if it is not set.
    public static func seeds(of variable: String) -> Range<UInt64>? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        let bounds = text.components(separatedBy: "..<").map { UInt64($0) }
        switch (bounds.first ?? nil, bounds.last ?? nil) {
        case (let first?, _?) where bounds.count == 1: return first..<first + 1
        case (let first?, let end?) where bounds.count == 2 && first < end: return first..<end
        default: fatalError("\(variable) is neither a seed, as in 7, nor a range of them, as in 4000..<8000")
        }
    }

    /// All items, or every tenth.
    public static func items<Item>(_ all: [Item]) -> [Item] { isReduced ? stride(from: 0, to: all.count, by: 10).map { all[$0] } : all }

    /// Whether the long tests run.
    public static let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil

    /// So many of the items, spread evenly and with the first and the last; all of them where `FIRELITE_NIGHTLY` is set, a tenth of the sample under
    /// a sanitizer.
    public static func sample<Item>(_ all: [Item], _ size: Int) -> [Item] {
        let size = count(size)
        guard !isNightly, size < all.count else { return all }
        guard size > 1 else { return Array(all.prefix(1)) }
        return (0..<size).map { all[$0 * (all.count - 1) / (size - 1)] }
    }
}

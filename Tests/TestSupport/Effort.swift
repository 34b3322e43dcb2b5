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

    /// All items, or every tenth.
    public static func items<Item>(_ all: [Item]) -> [Item] { isReduced ? stride(from: 0, to: all.count, by: 10).map { all[$0] } : all }
}

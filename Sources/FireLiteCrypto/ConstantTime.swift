import Foundation

/// Comparisons that take the same time wherever the values differ.
package enum ConstantTime {
    /// Whether two values have the same bytes. Only their lengths may be found out by the time it takes.
    package static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in right.withUnsafeBytes { SystemCryptography.areEqual(left, $0) } }
    }
}

import Foundation

/// Numbers for the names of tables that writes change and observers read, the same for all connections of a store: comparing numbers takes a
/// few bits, comparing names a hash of each.
final class TableNumbers: @unchecked Sendable {
    // `lock` guards the variable. It grows with the tables in use, of which a release has a few thousand.
    private let lock = NSLock()
    private var numbers: [String: Int] = ["_resource": 0]

    /// The number of the registry, which every change of a resource changes.
    static let registry = 0

    /// The number of a table; the same for each call.
    func number(of name: String) -> Int {
        lock.withLock {
            if let known = numbers[name] { return known }
            let number = numbers.count
            numbers[name] = number
            return number
        }
    }

    func set(of names: Set<String>) -> TableSet {
        var set = TableSet()
        for name in names { set.insert(number(of: name)) }
        return set
    }
}

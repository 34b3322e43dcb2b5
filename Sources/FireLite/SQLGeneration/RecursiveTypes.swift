import FireLiteCore
import Foundation

/// The classes with lists of themselves, whose rows share a table (`Extension.extension`, `Questionnaire.item.item`).
final class RecursiveTypes: @unchecked Sendable {
    // `lock` guards `known`.
    private let lock = NSLock()
    private var known: [ObjectIdentifier: Bool] = [:]
    private static let shared = RecursiveTypes()

    /// Whether the table of a list of this class has rows at several depths.
    static func recurs(_ layout: Layout, isPrimitive: Bool) -> Bool { isPrimitive ? false : shared.recurs(layout) }

    private func recurs(_ layout: Layout) -> Bool {
        let key = ObjectIdentifier(layout)
        lock.lock()
        let answer = known[key]
        lock.unlock()
        if let answer { return answer }
        var visited: Set<ObjectIdentifier> = []
        let fresh = Self.reaches(layout, from: layout, &visited)
        lock.lock()
        defer { lock.unlock() }
        known[key] = fresh
        return fresh
    }

    private static func reaches(_ wanted: Layout, from layout: Layout, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(layout)).inserted else { return false }
        for element in layout.elements {
            guard let type = element.layout else { continue }
            if element.isList, type === wanted { return true }
            // Only the path itself and backbone elements below it share a table.
            if type.kind == .backbone, reaches(wanted, from: type, &visited) { return true }
        }
        return false
    }
}

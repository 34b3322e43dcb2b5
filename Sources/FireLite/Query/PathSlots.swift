import FireLiteCore
import Foundation

/// The element of each key path to a generated property, found by reading the property of an empty instance once.
final class PathSlots: @unchecked Sendable {
    // `lock` guards `slots`.
    private let lock = NSLock()
    private var slots: [AnyKeyPath: Int] = [:]
    private static let shared = PathSlots()

    /// The slot of a generated property; for a choice element's enum, the first slot of the choice.
    ///
    /// - Precondition: the path is one generated property.
    static func slot<Object: FHIRObject>(_ path: PartialKeyPath<Object>) -> Int { shared.slot(path) }

    private func slot<Object: FHIRObject>(_ path: PartialKeyPath<Object>) -> Int {
        lock.lock()
        let known = slots[path]
        lock.unlock()
        if let known { return known }
        guard let element = ElementProbe.element(path, of: Object.self) else {
            misuse("\(path) is not an element of \(Object._layout.name): pass a generated property of the class")
        }
        lock.lock()
        defer { lock.unlock() }
        slots[path] = element.slot
        return element.slot
    }
}

import FireLiteCore
import Foundation

/// The releases of FHIR as data: their layouts, for programs that need no generated classes.
package struct BundledRelease: Sendable {
    /// The release's short name, `R4`.
    package let name: String
    /// The text that `FHIRRelease(layouts:)` reads.
    package let layouts: String
    private let known: Once

    init(name: String, layouts: String) {
        self.name = name
        self.layouts = layouts
        known = Once(layouts)
    }

    /// Every release, the oldest first.
    package static let all = [dstu2, stu3, r4, r4b, r5]

    /// The release with this name, in upper or lower case; nil if there is none.
    package static func named(_ name: String) -> BundledRelease? { all.first { $0.name.lowercased() == name.lowercased() } }

    /// The release with its layouts, which are created when they are needed.
    package var release: FHIRRelease { known.release }

    /// Reads the text when it is first asked for.
    ///
    /// `@unchecked Sendable`: `lock` guards `made`.
    private final class Once: @unchecked Sendable {
        private let lock = NSLock()
        private let layouts: String
        private var made: FHIRRelease?

        init(_ layouts: String) { self.layouts = layouts }

        var release: FHIRRelease {
            lock.lock()
            defer { lock.unlock() }
            if let made { return made }
            do {
                let fresh = try FHIRRelease(uncheckedLayouts: layouts)
                made = fresh
                return fresh
            } catch {
                // Invariant: tests read every release's text.
                preconditionFailure("the layouts that come with the library cannot be read: \(error)")
            }
        }
    }
}

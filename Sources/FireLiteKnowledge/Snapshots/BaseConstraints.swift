import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// The constraints of FHIR's own types, which a snapshot repeats and which every object is checked by without it.
enum BaseConstraints {
    private static let lock = NSLock()
    /// Guarded by `lock`.
    private nonisolated(unsafe) static var known: [FHIRRelease: Set<String>] = [:]

    /// Of all elements and resources: their expressions were worded differently in versions of the definitions.
    static let general: Set<String> = [
        "ele-1", "ext-1", "dom-1", "dom-2", "dom-3", "dom-4", "dom-5", "dom-6", "txt-1", "txt-2", "ref-1", "per-1",
    ]

    /// `key expression` of each constraint of a release.
    static func of(_ release: FHIRRelease) -> Set<String> {
        if let list = lock.withLock({ known[release] }) { return list }
        let list = Set(FHIRPathConstraints.list(of: release).map { "\($0.key) \($0.expression)" })
        lock.withLock { known[release] = list }
        return list
    }
}

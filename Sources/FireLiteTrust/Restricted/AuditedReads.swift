import FireLite
import Foundation

/// Reads of a restricted view that are not in the audit trail yet.
final class AuditedReads: @unchecked Sendable {
    // `lock` guards the accesses.
    private let lock = NSLock()
    private var found: [AuditAccess] = []

    var accesses: [AuditAccess] { lock.withLock { found } }

    func note(_ resource: FHIRResource) {
        note(AuditAccess(.read, resource.layout.name, id: resource.id, version: FHIRStore.revision(of: resource)))
    }

    func note(_ access: AuditAccess) { lock.withLock { found.append(access) } }

    /// Runs a call about resources of a type. It is also recorded if it returns no resource but, for example, a count.
    func collecting<Value>(_ typeName: String?, _ body: () throws -> Value) rethrows -> Value {
        let before = lock.withLock { found.count }
        defer {
            if lock.withLock({ found.count }) == before { note(AuditAccess(.read, typeName)) }
        }
        return try body()
    }
}

import FireLite
import FireLiteClient
import FireLiteTrust
import Foundation

/// What the audit trail has, or is to have, of one request: each entry of a batch or transaction is an access of its own.
///
/// `@unchecked Sendable`: `lock` guards what changes.
final class AuditNotes: @unchecked Sendable {
    /// A resource that a write changed, of which the trail has a row already.
    private struct Key: Hashable {
        let type: String
        let id: String
    }

    private let lock = NSLock()
    private var written: Set<Key> = []
    private var hasWritten = false
    private var accesses: [AuditAccess] = []

    /// Notes what a write has changed, which the trail has recorded in the same commit.
    func add(_ resources: [WrittenResource]) {
        lock.withLock {
            for resource in resources {
                hasWritten = true
                if let id = resource.id { written.insert(Key(type: resource.typeName, id: id)) }
            }
        }
    }

    /// Notes that the trail has rows of the request.
    func noteWritten() { lock.withLock { hasWritten = true } }

    /// Notes an access that is to be appended.
    func add(_ access: AuditAccess) { lock.withLock { accesses.append(access) } }

    /// Whether the trail has a row of a change of a resource.
    func hasRow(of type: String?, _ id: String?) -> Bool {
        lock.withLock {
            guard let type, let id else { return hasWritten }
            return written.contains(Key(type: type, id: id))
        }
    }

    /// What is to be appended for the request: what was noted, and the request itself if nothing else reports it.
    func rows(_ request: AuditAccess) -> [AuditAccess] {
        lock.withLock {
            guard request.outcome == .success else { return accesses + [request] }
            return accesses.isEmpty && !hasWritten ? [request] : accesses
        }
    }
}

extension AuditAccess {
    /// The access of a request to a place, by its answer.
    init(_ method: HTTPMethod, _ route: Route?, status: Int) {
        let action: AuditAction =
            switch (route, method) {
            case (.operation?, _): .execute
            case (_, .put), (_, .patch): .update
            case (_, .delete): .delete
            case (.type?, .post), (.system?, .post): .create
            default: .read
            }
        let outcome: AuditOutcome = status < 400 ? .success : status < 500 ? .minorFailure : .seriousFailure
        self.init(action, route?.subject.type, id: route?.subject.id, outcome: outcome)
    }
}

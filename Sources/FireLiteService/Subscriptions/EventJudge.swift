import FireLite
import FireLiteCore
import Foundation

/// Judges events by what counts when they are sent: the filters that the subscription has now, and what a token may see. So events that wait while a
/// client changes the filters, or another client takes the subscription over, are judged again.
///
/// `@unchecked Sendable`: `lock` guards `known`.
final class EventJudge: @unchecked Sendable {
    /// What the receiver may see.
    let access: ServiceAccess
    private let store: FHIRStore
    private let base: String
    private let lock = NSLock()
    private var known: ContentProbe?

    /// - Parameter access: what the receiver may see.
    init(_ access: ServiceAccess, _ service: FHIRService) {
        self.access = access
        store = service.store
        base = service.base
    }

    /// Whether the events of a type depend on their content.
    func needsContent(_ subscribed: Subscribed, _ type: String) -> Bool {
        access.scopes != nil || !subscribed.filters(for: type).isEmpty
    }

    /// Whether an event with a content is to be sent.
    func passes(_ content: FHIRResource, _ subscribed: Subscribed) throws -> Bool {
        guard content.id != nil else { return false }
        let probe = try probe()
        let filters = subscribed.filters(for: content.resourceType)
        guard try filters.isEmpty || probe.meets(filters, content) else { return false }
        return try probe.permits(access, content)
    }

    private func probe() throws -> ContentProbe {
        try lock.withLock {
            let probe = try known ?? ContentProbe(for: store, base: base)
            known = probe
            return probe
        }
    }
}

extension Error {
    /// Whether it says nothing about what was read, so that it may be over at any later time: the store is busy or closed, the disk full.
    var isPassing: Bool {
        if self is CancellationError { return true }
        guard let error = self as? FHIRStoreError else { return false }
        return [.busy, .diskFull, .readOnly, .fileHasMoved, .disk, .outOfMemory, .closed, .interrupted].contains(error.code)
    }
}

import FireLite
import FireLiteCore
import Foundation

/// The changes that a sync would make: see ``Synchronizer/preview(_:)``.
public struct SyncPreview: Sendable, Hashable {
    /// The number of resources at the server that were changed since the last pull, with those in the overlap; nil if the server does not say.
    public internal(set) var toPull: Int?
    /// The number of resources to create at the server.
    public internal(set) var toCreate = 0
    /// The number of resources to change at the server.
    public internal(set) var toUpdate = 0
    /// The number of resources to delete at the server.
    public internal(set) var toDelete = 0
    /// The number of changes that the server has refused.
    public internal(set) var parked = 0
    /// The number of deferred conflicts.
    public internal(set) var conflicts = 0
    /// The number of resources that are ``SyncState/undecided``, of which nothing would be sent.
    public internal(set) var undecided = 0
}

extension Synchronizer {
    /// Counts what a sync would do, without changing the store or the server.
    ///
    /// - Parameter direction: which directions to count. Only a pull asks the server.
    /// - Returns: the counts.
    /// - Throws: `FHIRClientError`; `AuthorizationError`; `FHIRStoreError`; `CancellationError`.
    public func preview(_ direction: SyncDirection = .both) async throws -> SyncPreview {
        let searches = direction == .push ? [] : try await previewedSearches()
        var (preview, cursors) = try await countedChanges(searches.map { ($0.key, $0.typeName) })
        guard direction != .push else { return preview }
        var total: Int? = 0
        for (search, since) in zip(searches, cursors) {
            var parameters = search.parameters
            if let since {
                let start = max(since - Int64(configuration.overlap / .milliseconds(1)), 0)
                parameters.append("_lastUpdated", "ge" + ServerTime.instant(start))
            }
            parameters.append("_summary", "count")
            let count = try await client.bundle(FHIRRequest(.get, search.path, parameters: parameters), at: nil).total
            total = total.flatMap { sum in count.map { sum + $0 } }
        }
        preview.toPull = total
        return preview
    }

    private func previewedSearches() async throws -> [SyncRun.Search] {
        var run = SyncRun(self, nil)
        try await run.findLocked()
        return try await run.searches()
    }

    /// Ends a write that must leave nothing behind.
    private struct Counted: Error {
        let preview: SyncPreview
        let cursors: [Int64?]
    }

    private func countedChanges(_ searches: [(key: String, typeName: String)]) async throws -> (SyncPreview, [Int64?]) {
        do {
            try await journal { journal in
                try journal.begin()
                var preview = SyncPreview()
                let locked = try journal.lockedChanges()
                for change in try journal.changes("1", []) where !locked.contains(change.number) {
                    switch change.state {
                    case .parked: preview.parked += 1
                    case .conflict: preview.conflicts += 1
                    case .undecided, .wanted, .unknown: preview.undecided += 1
                    case .waiting where !journal.isType(change.key.typeName): preview.undecided += 1
                    case .waiting:
                        let isKnown = try journal.known(change.key) != nil
                        let isStored = try journal.tx.registered(change.key.typeName, id: change.key.id) != nil
                        if !isStored { preview.toDelete += 1 } else if isKnown { preview.toUpdate += 1 } else { preview.toCreate += 1 }
                    }
                }
                let cursors = try searches.map { try journal.cursor($0.key, type: $0.typeName).since }
                throw Counted(preview: preview, cursors: cursors)
            }
        } catch let counted as Counted { return (counted.preview, counted.cursors) }
        return (SyncPreview(), searches.map { _ in nil })
    }
}

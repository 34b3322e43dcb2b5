import FireLite
import Foundation

extension SyncRun {
    /// More resources than these are not read by their ids: what was changed of their types is pulled.
    private static let maximumNamed = 500

    /// Pulls what notifications ask for.
    ///
    /// - Parameter pull: gets what was done.
    mutating func pull(_ demand: NotificationDemand, _ pull: inout NotifiedPull) async throws {
        pull.hasMissedEvents = demand.hasMissedEvents
        pull.ignored = demand.ignored
        pull.subscriptionHasEnded = demand.hasEnded
        if demand.isWhole {
            pull.extent = .types
            try await self.pull()
        } else if !demand.isEmpty {
            let searches = try await self.searches()
            var types = demand.types
            var keys = try await wanted(demand.keys, searches: searches, types: &types, pull: &pull)
            if keys.count > Self.maximumNamed {
                types.formUnion(keys.map(\.typeName))
                // Those of types that are not pulled are few, and were read by their ids before.
                keys = []
            }
            let chosen = searches.filter { types.contains($0.typeName) }
            if !chosen.isEmpty {
                pull.extent = .types
                try await self.pull(chosen)
            }
            let pulled = Set(chosen.filter(\.isWholeType).map(\.typeName))
            let rest = keys.filter { !pulled.contains($0.typeName) }
            if !rest.isEmpty { try await read(rest, searches, &pull) }
            try await prefetch()
        }
        let last = demand.last
        if !last.isEmpty { try await journal { try $0.noteEvents(last) } }
    }

    /// The resources that are read by their ids: of types that are pulled whole, and what is known of others. What a condition decides on is left to its
    /// search.
    private func wanted(
        _ keys: [SyncKey], searches: [Search], types: inout Set<String>, pull: inout NotifiedPull
    ) async throws -> [SyncKey] {
        let whole = Set(searches.filter(\.isWholeType).map(\.typeName))
        let others = Set(searches.map(\.typeName)).subtracting(whole)
        let known = try await journal { journal in Set(try keys.filter { try journal.known($0) != nil }) }
        return keys.filter { key in
            if whole.contains(key.typeName) || known.contains(key) { return true }
            if others.contains(key.typeName) { types.insert(key.typeName) } else { pull.ignored += 1 }
            return false
        }
    }

    private mutating func read(_ keys: [SyncKey], _ searches: [Search], _ pull: inout NotifiedPull) async throws {
        if pull.extent == .nothing { pull.extent = .resources }
        let whole = Set(searches.filter(\.isWholeType).map(\.typeName))
        for (typeName, keys) in Dictionary(grouping: keys, by: \.typeName).sorted(by: { $0.key < $1.key }) {
            let isWhole = whole.contains(typeName)
            let fetching = Fetching(
                scope: isWhole ? typeName : FetchedScope.key(typeName, depth: 0), depth: isWhole ? 0 : configuration.prefetch?.depth ?? 0)
            let fetched = try await fetch(keys, fetching)
            try await remove(fetched.missing)
            pull.refused += fetched.missing.filter { $0.reason == .refused }
        }
    }
}

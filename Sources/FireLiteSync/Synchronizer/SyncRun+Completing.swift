import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// How often ids and versions are compared at most, as a server that is changed meanwhile always has something new.
    private static let maximumComparisons = 10

    /// What a page of ids has.
    private struct Comparison: Sendable {
        /// Resources of which the store does not have that version.
        var missing: [SyncKey] = []
        var count = 0
        var total: Int?
        var next: URL?
        let content: PageContent
    }

    /// Compares ids and versions of what a search finds with what is here, and fetches what is missing, until nothing is.
    ///
    /// It depends on no order, and a resource that moved from page to page meanwhile is found the next time. What the server counts and does
    /// not show in the end is counted in the result.
    mutating func complete(_ search: Search, since: Int64?) async throws {
        var (count, total): (Int, Int?) = (0, nil)
        for _ in 0..<Self.maximumComparisons {
            var fetched = 0
            (count, total) = (0, nil)
            var url: URL?
            var parameters = search.parameters
            if let since { parameters.append("_lastUpdated", "ge" + ServerTime.instant(since)) }
            parameters.append("_elements", "id,meta")
            parameters.append("_count", "\(configuration.pageSize)")
            let request = FHIRRequest(.get, search.path, parameters: parameters)
            var place = PagePlace(nil)
            repeat {
                try Task.checkCancellation()
                let page = try await client.pageText(request, at: url)
                let client = client
                let found = try await journal { try Self.compare(page, search: search, client: client, journal: $0) }
                count += found.count
                total = found.total ?? total
                let fetching = Fetching(scope: search.key, replacesScope: true, notesRefusals: false)
                fetched += try await fetch(found.missing, fetching).news
                try place.advance(to: found.next, found.content, request)
                url = found.next
            } while url != nil
            if fetched == 0 { break }
        }
        result.missing += max((total ?? count) - count, 0)
    }

    private static func compare(
        _ page: FHIRClient.PageText, search: Search, client: FHIRClient, journal: SyncJournal
    ) throws -> Comparison {
        let received = try client.received(page, takesOutUnreadable: true)
        var comparison = Comparison(total: received.total, next: received.next, content: received.content)
        for entry in received.bundle.children("entry") {
            guard let resource = entry.takeResource("resource"), let id = resource.id, resource.resourceType == search.typeName else {
                continue
            }
            comparison.count += 1
            let key = SyncKey(typeName: search.typeName, id: id)
            let version = resource.child("meta")?.text("versionId")
            if let known = try journal.known(key), version == nil || known.version == version { continue }
            guard try !journal.isUnreadable(key, version: version) else { continue }
            comparison.missing.append(key)
        }
        for entry in received.unreadable where entry.typeName == search.typeName {
            comparison.count += 1
            guard let id = entry.id else { continue }
            let key = SyncKey(typeName: search.typeName, id: id)
            guard try !journal.isUnreadable(key, version: entry.version), try journal.known(key)?.version != entry.version else { continue }
            comparison.missing.append(key)
        }
        return comparison
    }
}

import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// How often ids and versions are compared at most, as a server that is changed meanwhile always has something new.
    private static let maximumComparisons = 10
    /// The number of resources that are asked for together.
    private static let fetchedTogether = 50

    /// What a page of ids has.
    private struct Comparison: Sendable {
        /// Resources of which the store does not have that version.
        var missing: [SyncKey] = []
        var count = 0
        var total: Int?
        var next: URL?
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
                let found = try await journal { try Self.compare(page, search, client, $0) }
                count += found.count
                total = found.total ?? total
                fetched += try await fetch(found.missing, search)
                try place.advance(to: found.next, request)
                url = found.next
            } while url != nil
            if fetched == 0 { break }
        }
        result.missing += max((total ?? count) - count, 0)
    }

    private static func compare(
        _ page: FHIRClient.PageText, _ search: Search, _ client: FHIRClient, _ journal: SyncJournal
    ) throws -> Comparison {
        let received = try client.received(page, takesOutUnreadable: true)
        var comparison = Comparison(total: received.total, next: received.next)
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

    /// Fetches resources by their ids: together, and those that do not come so one by one.
    ///
    /// - Returns: the number of those that were new here.
    private mutating func fetch(_ keys: [SyncKey], _ search: Search) async throws -> Int {
        let client = client
        let scope = try await journal { try $0.cursor(search.key, type: search.typeName).scope }
        var fetched = 0
        for start in stride(from: 0, to: keys.count, by: Self.fetchedTogether) {
            let wanted = Set(keys[start..<min(start + Self.fetchedTogether, keys.count)])
            let ids = wanted.map(\.id).sorted().joined(separator: ",")
            let request = FHIRRequest(.get, search.typeName, parameters: ["_id": ids, "_count": "\(Self.fetchedTogether)"])
            let page = try await client.pageText(request, at: nil)
            let (found, reception, unreadable) = try await journal { journal in
                let received = try client.received(page, takesOutUnreadable: true)
                let states = received.bundle.children("entry").compactMap { FHIRHistoryEntry($0).flatMap { RemoteState($0) } }
                    .filter { wanted.contains($0.key) }
                try journal.takeIn()
                let unreadable = try journal.keep(received.unreadable)
                let keys = states.map(\.key) + received.unreadable.map { SyncKey(typeName: $0.typeName ?? "", id: $0.id ?? "") }
                return (Set(keys), try journal.receive(states, scope: scope), unreadable)
            }
            count(reception)
            result.unreadable += unreadable
            fetched += reception.stored + reception.resolved + unreadable
            try await settle(reception.unsettled)
            for key in wanted.subtracting(found).sorted(by: { $0.id < $1.id }) where FHIRRequest.isAddressable(key.id) {
                fetched += try await fetch(key, scope)
            }
        }
        return fetched
    }

    private mutating func fetch(_ key: SyncKey, _ scope: Int64) async throws -> Int {
        let (client, request) = (client, try FHIRRequest.read(key.typeName, id: key.id))
        let response: HTTPResponse
        // Deleted meanwhile.
        do { response = try await client.send(request) } catch let error as FHIRClientError where error.saysAbsent { return 0 }
        let reception = try await journal { journal -> Reception? in
            let state: RemoteState
            do { state = try client.state(response, key) } catch let error as UnreadableAnswer {
                _ = try journal.keep([error.entry])
                return nil
            }
            try journal.takeIn()
            return try journal.receive([state], scope: scope)
        }
        guard let reception else {
            result.unreadable += 1
            return 1
        }
        count(reception)
        try await settle(reception.unsettled)
        return reception.stored + reception.resolved
    }
}

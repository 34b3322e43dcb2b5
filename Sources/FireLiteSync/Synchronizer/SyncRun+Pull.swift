import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// A search to pull.
    struct Search: Sendable {
        let key: String
        let path: String
        let typeName: String
        let parameters: FHIRParameters
    }

    /// What a page brought.
    private struct PageStep: Sendable {
        var reception: Reception
        var cursor: SyncCursor
        var next: URL?
        var count: Int
        var total: Int?
        var serverTime: Int64?
        /// The newest time of change on the page.
        var newest: Int64?
        /// Whether the pages are in the order of their times of change, as the server was asked to.
        var isSorted: Bool
    }

    mutating func pull() async throws {
        let searches = try await self.searches()
        try await fill(searches)
        let feeds = try await beginDeletions(searches)
        var begins: [String: Int64] = [:]
        for search in searches {
            let time = try await pull(search)
            begins[search.typeName] = begins[search.typeName] ?? time ?? 0
        }
        for feed in feeds { try await pullDeletions(feed, begin: begins[feed.typeName] ?? 0) }
    }

    // MARK: - Searches

    /// The searches that the scope consists of now.
    mutating func searches() async throws -> [Search] {
        var searches: [Search] = []
        for part in synchronizer.scope.parts {
            switch part {
            case .search(let path, let typeName, let parameters):
                searches.append(Search(key: part.key, path: path, typeName: typeName, parameters: parameters))
            case .everything:
                let release = synchronizer.store.release
                guard let types = try await abilities().types else {
                    throw SyncError(.invalidArgument, "the server does not say which types it has: name the types of the scope")
                }
                for type in types where release.hasResourceType(named: type) && type != "Bundle" {
                    searches.append(Search(key: type, path: type, typeName: type, parameters: [:]))
                }
            case .group(let id, let typeNames):
                let group = try await client.read(typeName: "Group", id: id)
                let references = group.children("member").compactMap { $0.child("entity")?.text("reference") }
                for patient in references.map({ ReferenceParts($0) }) where patient.type == "Patient" {
                    guard let id = patient.id else { continue }
                    let compartment = SyncScope.compartment("Patient", id: id, types: typeNames)
                    for part in compartment.parts {
                        guard case .search(let path, let typeName, let parameters) = part else { continue }
                        searches.append(Search(key: part.key, path: path, typeName: typeName, parameters: parameters))
                    }
                }
            }
        }
        return searches
    }

    /// Pulls a search page by page; each page is stored with the cursor after it.
    ///
    /// - Returns: the server's time when the first page was read.
    private mutating func pull(_ search: Search) async throws -> Int64? {
        var cursor = try await journal { try $0.cursor(search.key, type: search.typeName) }
        let overlap = Int64(configuration.overlap / .milliseconds(1))
        var start = cursor.since.map { $0 - overlap }
        var url = cursor.page.flatMap { URL(string: $0) }
        var (done, total): (Int, Int?) = (0, nil)
        var begin: Int64?
        var place = PagePlace(url)
        while true {
            try Task.checkCancellation()
            let request = self.request(search, since: start)
            let page: FHIRClient.PageText
            do {
                page = try await client.pageText(request, at: url)
            } catch let error as FHIRClientError where url != nil && [400, 404, 410].contains(error.status) {
                // The server does not know the page anymore.
                url = nil
                continue
            }
            let (client, current, from) = (client, cursor, start)
            let step = try await journal { try Self.step(page, current, search, since: from, client, $0) }
            cursor = step.cursor
            if done == 0 { begin = step.serverTime }
            count(step.reception)
            try await settle(step.reception.unsettled)
            done += step.count
            total = total ?? step.total
            progress?(SyncProgress(phase: .pull, typeName: search.typeName, done: done, total: total))
            guard let next = step.next else { break }
            if step.isSorted, let newest = step.newest, newest > start ?? .min {
                // A new search from the newest change on: a page that the server counts out would skip resources that move to its end.
                (start, url) = (newest, nil)
                place = PagePlace(nil)
            } else {
                try place.advance(to: next, request)
                url = next
            }
        }
        return begin
    }

    private func request(_ search: Search, since: Int64?) -> FHIRRequest {
        var parameters = search.parameters
        if let since { parameters.append("_lastUpdated", "ge" + ServerTime.instant(since)) }
        parameters.append("_sort", "_lastUpdated")
        parameters.append("_count", "\(configuration.pageSize)")
        return FHIRRequest(.get, search.path, parameters: parameters)
    }

    /// Stores a page and the cursor after it.
    private static func step(
        _ page: FHIRClient.PageText, _ cursor: SyncCursor, _ search: Search, since: Int64?, _ client: FHIRClient, _ journal: SyncJournal
    ) throws -> PageStep {
        let received = try client.received(page)
        var cursor = cursor
        var states: [RemoteState] = []
        var places: [SyncKey: Int] = [:]
        var (last, isSorted) = (Int64.min, received.isSorted)
        for entry in received.bundle.children("entry") {
            guard entry.child("search")?.text("mode") != "outcome", let resource = entry.takeResource("resource"), let id = resource.id,
                resource.resourceType != "OperationOutcome"
            else { continue }
            let key = SyncKey(typeName: resource.resourceType, id: id)
            let meta = resource.child("meta")
            if resource.resourceType == search.typeName {
                let time = ServerTime.milliseconds(meta?.instant("lastUpdated")?.date)
                isSorted = isSorted && time.map { $0 >= last } ?? false
                last = time ?? last
                cursor.newest = [cursor.newest, time].compactMap { $0 }.max()
            }
            let state = RemoteState(key: key, version: meta?.text("versionId"), resource: resource)
            if let place = places[key] {
                states[place] = state
            } else {
                places[key] = states.count
                states.append(state)
            }
        }
        try journal.takeIn()
        let reception = try journal.receive(states, scope: cursor.scope)
        cursor.page = nil
        if isSorted || received.next == nil {
            cursor.since = [cursor.newest, cursor.since].compactMap { $0 }.max()
        } else {
            cursor.page = received.next?.absoluteString
        }
        let newest = last == .min ? nil : last
        if isSorted, newest ?? .min <= since ?? .min { cursor.page = received.next?.absoluteString }
        try journal.keep(cursor)
        return PageStep(
            reception: reception, cursor: cursor, next: received.next, count: states.count, total: received.total,
            serverTime: ServerTime.milliseconds(received.serverTime), newest: newest, isSorted: isSorted)
    }

    // MARK: - Deletions

    /// The deletions of a type.
    private struct DeletionFeed: Sendable {
        let typeName: String
        var cursor: SyncCursor
        /// Whether resources of the type were known before the pull, so that deletions may be known to the server already.
        let hasKnown: Bool
    }

    private func beginDeletions(_ searches: [Search]) async throws -> [DeletionFeed] {
        guard configuration.pullsDeletions else { return [] }
        var types: [String] = []
        for search in searches where !types.contains(search.typeName) { types.append(search.typeName) }
        let names = types
        return try await journal { journal in
            try names.map { type in
                let known = try journal.rows(
                    "SELECT 1 FROM _sync_resource WHERE server = ? AND type = ? LIMIT 1", [.integer(journal.server), .text(type)])
                return DeletionFeed(
                    typeName: type, cursor: try journal.cursor("_history/\(type)", type: type), hasKnown: !known.isEmpty)
            }
        }
    }

    /// Pulls deletions from the history of a type. The newest version of a resource counts: a resource that was created again stays.
    ///
    /// - Parameter begin: the server's time when the pull began.
    private mutating func pullDeletions(_ feed: DeletionFeed, begin: Int64) async throws {
        var cursor = feed.cursor
        if cursor.since == nil, !feed.hasKnown {
            // Everything that was pulled was there when the pull began.
            cursor.since = begin
            let start = cursor
            return try await journal { try $0.keep(start) }
        }
        var parameters: FHIRParameters = ["_count": "\(configuration.pageSize)"]
        if let since = cursor.since {
            parameters.append("_since", ServerTime.instant(max(since - Int64(configuration.overlap / .milliseconds(1)), 0)))
        }
        let request = FHIRRequest(.get, feed.typeName + "/_history", parameters: parameters)
        var seen: Set<String> = []
        var url: URL?
        var place = PagePlace(nil)
        repeat {
            try Task.checkCancellation()
            let page: FHIRClient.PageText
            do {
                page = try await client.pageText(request, at: url)
            } catch let error as FHIRClientError where url == nil && [400, 404, 405, 501].contains(error.status) {
                // The server keeps no history of the type.
                return
            }
            let (client, known, current) = (client, seen, cursor)
            let step = try await journal { try Self.deletions(page, known, current, client, $0) }
            seen.formUnion(step.ids)
            cursor.newest = step.newest
            count(step.reception)
            try await settle(step.reception.unsettled)
            if let next = step.next { try place.advance(to: next, request) }
            url = step.next
        } while url != nil
        cursor.since = [cursor.newest, cursor.since].compactMap { $0 }.max()
        let end = cursor
        try await journal { try $0.keep(end) }
    }

    private struct DeletionStep: Sendable {
        var reception: Reception
        var ids: Set<String>
        var newest: Int64?
        var next: URL?
    }

    private static func deletions(
        _ page: FHIRClient.PageText, _ seen: Set<String>, _ cursor: SyncCursor, _ client: FHIRClient, _ journal: SyncJournal
    ) throws -> DeletionStep {
        let received = try client.received(page)
        var seen = seen
        var newest = cursor.newest
        var states: [RemoteState] = []
        for entry in received.bundle.children("entry") {
            guard let entry = FHIRHistoryEntry(entry) else { continue }
            newest = [newest, ServerTime.milliseconds(entry.lastModified)].compactMap { $0 }.max()
            guard seen.insert(entry.id).inserted, entry.isDeletion else { continue }
            let key = SyncKey(typeName: entry.typeName, id: entry.id)
            guard try journal.known(key) != nil else { continue }
            states.append(RemoteState(key: key, version: entry.version, resource: nil))
        }
        try journal.takeIn()
        return DeletionStep(
            reception: try journal.receive(states, scope: nil), ids: seen, newest: newest, next: received.next)
    }
}

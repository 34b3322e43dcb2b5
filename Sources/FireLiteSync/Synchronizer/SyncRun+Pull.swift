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

    mutating func pull() async throws {
        let searches = try await self.searches()
        try await retryUnreadable()
        try await fetchWanted()
        try await fill(searches)
        try await pull(searches)
        try await fetchAgain(searches)
        try await prefetch()
    }

    /// Pulls searches, and then the deletions of their types.
    mutating func pull(_ searches: [Search]) async throws {
        let feeds = try await beginDeletions(searches)
        var begins: [String: Int64] = [:]
        for search in searches {
            guard let time = try await pull(search) else { continue }
            begins[search.typeName] = min(begins[search.typeName] ?? time, time)
        }
        for feed in feeds { try await pullDeletions(feed, begin: begins[feed.typeName]) }
    }

    /// Takes over what could not be read before and can be by now.
    private mutating func retryUnreadable() async throws {
        let client = client
        let reception = try await journal { journal -> Reception? in
            guard try journal.hasUnreadable else { return nil }
            try journal.takeIn()
            return try journal.retryUnreadable { try client.decodedResource($0) }
        }
        guard let reception else { return }
        count(reception)
        try await settle(reception.unsettled)
        try await readAgain(reception.doubts, scope: nil)
    }

    // MARK: - Searches

    /// The searches that the scope consists of now. Those of locked types wait, where they are, for the key.
    mutating func searches() async throws -> [Search] {
        let locked = lockedTypes
        return try await allSearches().filter { !locked.contains($0.typeName) }
    }

    private mutating func allSearches() async throws -> [Search] {
        var searches: [Search] = []
        for part in synchronizer.scope.parts {
            switch part {
            case .search(let path, let typeName, let parameters):
                searches.append(Search(key: part.key, path: path, typeName: typeName, parameters: parameters))
            case .everything:
                let release = synchronizer.store.release
                guard let types = try await abilities().types else {
                    throw SyncError(.invalidArgument, "the server does not say which types it has", remedy: .nameTypes)
                }
                guard !types.isEmpty else {
                    throw SyncError(
                        .notSearchable,
                        "the server's CapabilityStatement lists no type that can be searched, so nothing can be pulled", remedy: .nameTypes)
                }
                for type in types where release.hasResourceType(named: type) {
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

    /// What a page brought.
    private struct PageStep: Sendable {
        var reception = Reception()
        var unreadable = 0
        var cursor: SyncCursor
        var order: PullOrder
        var page = PullOrder.Page()
        var step = PullOrder.Step.end
        var count = 0
        var serverTime: Int64?
        /// Resources with the addresses of others.
        var misnamed: [MisnamedEntry] = []
        var content: PageContent?
    }

    /// Pulls a search page by page; each page is stored with the cursor after it.
    ///
    /// - Returns: a time of the server, at which the pull had not begun yet; nil if the server has nothing that says so.
    private mutating func pull(_ search: Search) async throws -> Int64? {
        var cursor = try await journal { try $0.cursor(search.key, type: search.typeName) }
        let overlap = Int64(configuration.overlap / .milliseconds(1))
        var order = PullOrder(begin: cursor.since.map { max($0 - overlap, 0) }, page: cursor.page.flatMap { URL(string: $0) })
        var (done, total): (Int, Int?) = (0, nil)
        var first: PageStep?
        var proof: Int64?
        var place = PagePlace(order.url)
        while true {
            try Task.checkCancellation()
            let request = self.request(search, since: order.start)
            var step: PageStep
            do {
                let page = try await client.pageText(request, at: order.url)
                let (client, current, before, begin) = (client, cursor, order, first?.serverTime)
                step = try await journal {
                    try Self.step(page, cursor: current, order: before, search: search, begin: begin, client: client, journal: $0)
                }
            } catch let error as FHIRClientError where leadsNowhere(order, error) && order.lost() {
                place = PagePlace(nil)
                continue
            }
            first = first ?? step
            cursor = step.cursor
            count(step.reception)
            result.unreadable += step.unreadable
            try await settle(step.reception.unsettled)
            if !step.reception.doubts.isEmpty {
                try await readAgain(step.reception.doubts, scope: search.key)
                let (place, misnamed) = (cursor, step.misnamed)
                result.unreadable += try await journal { journal in
                    try journal.keep(place)
                    return try journal.keep(misnamed)
                }
            }
            done += step.count
            total = total ?? step.page.total
            try progress.report(SyncProgress(phase: .pull, typeName: search.typeName, done: done, total: total))
            if case .proof = step.step {
                proof = try await newest(search, since: order.start)
                step.order.take(proof: proof, step.page)
            }
            order = step.order
            if case .end = step.step { break }
            if let next = order.url, let content = step.content {
                try place.advance(to: next, content, request)
            } else {
                place = PagePlace(nil)
            }
        }
        if order.isUnsure {
            try await complete(search, since: order.begin)
            cursor.since = Self.since(cursor, first?.serverTime)
            cursor.page = nil
            let end = cursor
            try await journal { try $0.keep(end) }
        }
        // What was there when the pull began says more than clocks do, which need not be those by which changes are dated.
        guard let newest = proof ?? first?.page.times.compactMap({ $0 }).max() else { return nil }
        return min(newest, first?.serverTime ?? newest)
    }

    /// Whether an error says that the address of a page is no good, so that the search begins again.
    ///
    /// Each pull would fail at an address that an earlier one has kept, so there anything says so that is not a page of this server, and every error of
    /// another one.
    private func leadsNowhere(_ order: PullOrder, _ error: FHIRClientError) -> Bool {
        if [400, 404, 410].contains(error.status) { return true }
        guard order.pages == 0, let url = order.url else { return false }
        return error.code == .invalidResponse || Origin(url) != client.origin
    }

    private func request(_ search: Search, since: Int64?) -> FHIRRequest {
        var parameters = search.parameters
        if let since { parameters.append("_lastUpdated", "ge" + ServerTime.instant(since)) }
        parameters.append("_sort", "_lastUpdated")
        parameters.append("_count", "\(configuration.pageSize)")
        return FHIRRequest(.get, search.path, parameters: parameters)
    }

    /// The time of change of what a search has first, if it is asked for the newest first.
    private func newest(_ search: Search, since: Int64?) async throws -> Int64? {
        var parameters = search.parameters
        if let since { parameters.append("_lastUpdated", "ge" + ServerTime.instant(since)) }
        parameters.append("_sort", "-_lastUpdated")
        parameters.append("_count", "1")
        let page: FHIRClient.PageText
        do {
            page = try await client.pageText(FHIRRequest(.get, search.path, parameters: parameters), at: nil)
        } catch let error as FHIRClientError where error.status.map({ 400..<500 ~= $0 }) ?? false && error.code != .unauthorized {
            return nil
        }
        for entry in try client.received(page, takesOutUnreadable: true).bundle.children("entry") {
            guard let resource = entry.takeResource("resource"), resource.resourceType == search.typeName else { continue }
            return ServerTime.milliseconds(resource.child("meta")?.instant("lastUpdated")?.date)
        }
        return nil
    }

    /// Where the next pull begins: at the newest change that was seen, but not in the server's future, as one wrong date would hide all that follows.
    private static func since(_ cursor: SyncCursor, _ serverTime: Int64?) -> Int64? {
        let newest = [cursor.newest, cursor.since].compactMap { $0 }.max()
        guard let newest, let serverTime else { return newest }
        return min(newest, serverTime)
    }

    /// Stores a page and the cursor after it.
    ///
    /// - Parameter begin: the server's time when the pull began; nil on the first page.
    private static func step(
        _ page: FHIRClient.PageText, cursor: SyncCursor, order: PullOrder, search: Search, begin: Int64?, client: FHIRClient,
        journal: SyncJournal
    ) throws -> PageStep {
        let received = try client.received(page, takesOutUnreadable: true)
        var step = PageStep(cursor: cursor, order: order)
        step.page.total = received.total
        step.content = received.content
        step.page.next = received.next
        step.serverTime = ServerTime.milliseconds(received.serverTime)
        var states: [RemoteState] = []
        var places: [SyncKey: Int] = [:]
        // Sent with two contents of one version.
        var disputed: Set<SyncKey> = []
        for entry in received.bundle.children("entry") {
            guard entry.child("search")?.text("mode") != "outcome", let resource = entry.takeResource("resource"),
                resource.resourceType != "OperationOutcome" || search.typeName == "OperationOutcome"
            else { continue }
            if let misnamed = MisnamedEntry(entry, resource, base: journal.base) {
                step.misnamed.append(misnamed)
                continue
            }
            guard let id = resource.id else { continue }
            let key = SyncKey(typeName: resource.resourceType, id: id)
            let meta = resource.child("meta")
            if resource.resourceType == search.typeName {
                let time = ServerTime.milliseconds(meta?.instant("lastUpdated")?.date)
                step.page.times.append(time)
                step.cursor.newest = [step.cursor.newest, time].compactMap { $0 }.max()
            }
            let state = RemoteState(key: key, version: meta?.text("versionId"), resource: resource)
            if let place = places[key] {
                if state.version != nil, states[place].version == state.version, states[place].resource != resource {
                    disputed.insert(key)
                } else if !state.hasLowerVersion(than: states[place].version) {
                    states[place] = state
                }
            } else {
                places[key] = states.count
                states.append(state)
            }
        }
        // What cannot be read counts too, without a time, so that such a page shows no order.
        for entry in received.unreadable where entry.typeName == search.typeName { step.page.times.append(nil) }
        try journal.acknowledgeServer()
        try journal.takeIn()
        step.unreadable = try journal.keep(received.unreadable)
        step.reception = try journal.receive(states.filter { !disputed.contains($0.key) }, scope: cursor.scope, since: order.begin)
        step.reception.doubts += disputed.sorted { $0.id < $1.id }.map { Doubt($0) } + step.misnamed.map { Doubt($0.key) }
        step.count = states.count
        step.step = step.order.take(step.page)
        step.cursor.page = nil
        switch step.step {
        case .end where !step.order.isUnsure: step.cursor.since = Self.since(step.cursor, begin ?? step.serverTime)
        case .more where step.order.isWalk: step.cursor.page = step.order.url?.absoluteString
        default:
            if let done = step.order.done { step.cursor.since = Self.since(SyncCursor(scope: 0, since: cursor.since, newest: done), begin) }
        }
        // What is in doubt must not be behind the cursor if it cannot be read again.
        if step.reception.doubts.isEmpty { try journal.keep(step.cursor) }
        return step
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
                    typeName: type, cursor: try journal.cursor("_history/\(type)", type: type), hasKnown: !known.isEmpty || journal.isLost)
            }
        }
    }

    /// Pulls deletions from the history of a type. The newest version of a resource counts: a resource that was created again stays.
    ///
    /// - Parameter begin: a time of the server at which the pull had not begun yet; nil if the server has nothing that says so.
    private mutating func pullDeletions(_ feed: DeletionFeed, begin: Int64?) async throws {
        var cursor = feed.cursor
        if cursor.since == nil, !feed.hasKnown {
            // Everything that was pulled was there when the pull began. Without anything there is nothing that could be deleted yet.
            guard let begin else { return }
            cursor.since = begin
            let start = cursor
            return try await journal { try $0.keep(start) }
        }
        var parameters: FHIRParameters = ["_count": "\(configuration.pageSize)"]
        if let since = cursor.since {
            parameters.append("_since", ServerTime.instant(max(since - Int64(configuration.overlap / .milliseconds(1)), 0)))
        }
        let request = FHIRRequest(.get, feed.typeName + "/_history", parameters: parameters)
        var seen: Set<SyncKey> = []
        var time: Int64?
        var url: URL?
        var place = PagePlace(nil)
        repeat {
            try Task.checkCancellation()
            let page: FHIRClient.PageText
            do {
                page = try await client.pageText(request, at: url)
            } catch let error as FHIRClientError where url == nil && [400, 404, 405, 501].contains(error.status) {
                // The server keeps no history of the type.
                if feed.hasKnown, !result.typesWithoutDeletions.contains(feed.typeName) {
                    result.typesWithoutDeletions.append(feed.typeName)
                }
                return
            }
            let (client, known, current) = (client, seen, cursor)
            let step = try await journal { try Self.deletions(page, seen: known, cursor: current, client: client, journal: $0) }
            seen.formUnion(step.keys)
            cursor.newest = step.newest
            time = time ?? step.serverTime
            count(step.reception)
            try await settle(step.reception.unsettled)
            try await readAgain(step.reception.doubts, scope: nil)
            try place.advance(to: step.next, step.content, request)
            url = step.next
        } while url != nil
        cursor.since = Self.since(cursor, time)
        let end = cursor
        try await journal { try $0.keep(end) }
    }

    private struct DeletionStep: Sendable {
        var reception: Reception
        var keys: Set<SyncKey>
        var newest: Int64?
        var next: URL?
        var serverTime: Int64?
        let content: PageContent
    }

    private static func deletions(
        _ page: FHIRClient.PageText, seen: Set<SyncKey>, cursor: SyncCursor, client: FHIRClient, journal: SyncJournal
    ) throws -> DeletionStep {
        let received = try client.received(page, takesOutUnreadable: true)
        var seen = seen
        var newest = cursor.newest
        var states: [RemoteState] = []
        let hasUnreadable = try journal.hasUnreadable
        for entry in try client.historyEntries(received) {
            newest = [newest, ServerTime.milliseconds(entry.lastModified)].compactMap { $0 }.max()
            let key = SyncKey(typeName: entry.typeName, id: entry.id)
            guard seen.insert(key).inserted, entry.isDeletion else { continue }
            guard try journal.known(key) != nil || journal.isLost && !journal.changes(of: key).isEmpty else {
                if hasUnreadable { try journal.removeUnreadable(key) }
                continue
            }
            states.append(RemoteState(key: key, version: entry.version, resource: nil))
        }
        try journal.takeIn()
        return DeletionStep(
            reception: try journal.receive(states, scope: nil), keys: seen, newest: newest, next: received.next,
            serverTime: ServerTime.milliseconds(received.serverTime), content: received.content)
    }
}

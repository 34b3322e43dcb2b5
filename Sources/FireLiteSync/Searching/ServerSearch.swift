import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// A search as it is sent to a server.
struct ServerSearch: Sendable {
    /// Parameters that say what of the matches is returned, and how. Those of `_elements` and `_summary` are not sent: parts of resources must not be
    /// stored as whole ones.
    static let shapes: Set<String> = ["_count", "_sort", "_total", "_summary", "_elements", "_format", "_pretty", "_score"]
    private static let unsent: Set<String> = ["_total", "_summary", "_elements", "_format", "_pretty", "_score"]
    private static let includes: Set<String> = ["_include", "_revinclude"]

    let typeName: String
    let request: FHIRRequest
    /// Whether the app wants one page.
    let isOnePage: Bool
    /// Whether other resources may come with the matches.
    let hasIncludes: Bool

    /// - Throws: `SyncError.invalidArgument` for a search that is not sent.
    init(_ search: SearchRequest, pageSize: Int) throws {
        guard let type = search.type, !search.isEverything else {
            throw SyncError(.invalidArgument, "a search that is sent to a server is about one type: begin it with the type, Observation?…")
        }
        typeName = try FHIRRequest.checkedType(type)
        var parameters = FHIRParameters()
        for parameter in search.parameters {
            let name = String(parameter.name.prefix { $0 != ":" })
            guard !["_contained", "_containedType", "_cursor", "_type"].contains(name) else {
                throw SyncError(.invalidArgument, "a search with \(name) is not sent to a server: search the store alone")
            }
            if !Self.unsent.contains(name), !parameter.value.isEmpty { parameters.append(parameter.name, parameter.value) }
        }
        isOnePage = parameters.all.contains { $0.name == "_count" }
        hasIncludes = parameters.all.contains { Self.includes.contains(String($0.name.prefix { $0 != ":" })) }
        if !isOnePage { parameters.append("_count", "\(pageSize)") }
        var path = typeName
        if let compartment = search.compartment { path = try FHIRRequest.path(compartment.type, compartment.id) + "/" + typeName }
        request = FHIRRequest(.get, path, parameters: parameters, fields: ["Prefer": "handling=strict"])
    }

    /// The names of parameters that the server says nothing of having used: those that its self link lacks (FHIR, Search, Server Conformance).
    ///
    /// - Returns: conditions, and other parameters.
    func ignored(selfLink: String?) -> (conditions: [String], others: [String]) {
        var used: [String: Int] = [:]
        for item in selfLink.flatMap({ URLComponents(string: $0) ?? URLComponents(string: Self.escaped($0)) })?.queryItems ?? [] {
            used[item.name, default: 0] += 1
        }
        var (conditions, others): ([String], [String]) = ([], [])
        for parameter in request.parameters.all where parameter.name != "_count" {
            if let count = used[parameter.name], count > 0 {
                used[parameter.name] = count - 1
            } else if parameter.name == "_sort" || Self.includes.contains(String(parameter.name.prefix { $0 != ":" })) {
                others.append(parameter.name)
            } else {
                conditions.append(parameter.name)
            }
        }
        return (conditions, others)
    }

    /// A link with marks that an address has only percent-encoded.
    private static func escaped(_ link: String) -> String {
        var allowed = CharacterSet.urlQueryAllowed
        allowed.insert(charactersIn: "%#:/?")
        return link.addingPercentEncoding(withAllowedCharacters: allowed) ?? link
    }
}

/// What a server has found; its resources are stored.
struct ServerMatches: Sendable {
    var matches: [SyncKey] = []
    var included: [SyncKey] = []
    var isComplete = true
    var ignored: [String] = []
}

extension Synchronizer {
    /// A page of a search.
    private struct FoundPage: Sendable {
        var matches: [SyncKey] = []
        var included: [SyncKey] = []
        /// Those of which the server has sent only a part.
        var parts: [SyncKey] = []
        var hasUnreadable = false
        var ignored: [String] = []
        var next: URL?
        let content: PageContent
    }

    /// Asks the server, and stores what it sends.
    func matches(_ search: ServerSearch, limit: Int) async throws -> ServerMatches {
        try checkRelease()
        try await journal { try $0.begin() }
        var found = ServerMatches()
        var seen: Set<SyncKey> = []
        var place = PagePlace(nil)
        repeat {
            try Task.checkCancellation()
            let text = try await client.pageText(search.request, at: place.url)
            let (client, isFirst, room) = (client, place.url == nil, max(limit - found.matches.count, 0))
            let page = try await journal { try Self.take(text, search: search, isFirst: isFirst, room: room, client: client, journal: $0) }
            found.matches += page.matches.filter { seen.insert($0).inserted }
            found.included += page.included.filter { seen.insert($0).inserted }
            if isFirst { found.ignored = page.ignored }
            if page.hasUnreadable || !page.ignored.isEmpty && search.hasIncludes { found.isComplete = false }
            try await readWhole(page.parts)
            // Another server's page is no answer of this one.
            let isElsewhere = page.next.map { Origin($0) != client.origin } ?? false
            if page.next != nil, isElsewhere || search.isOnePage || found.matches.count >= limit { found.isComplete = false }
            let isEnough = isElsewhere || search.isOnePage || found.matches.count >= limit
            try place.advance(to: isEnough ? nil : page.next, page.content, search.request)
        } while !place.isAtEnd
        return found
    }

    /// Reads resources of which a search has brought only a part.
    private func readWhole(_ keys: [SyncKey]) async throws {
        var run = SyncRun(self, nil)
        run.isShared = true
        try await run.findLocked()
        for (typeName, keys) in Dictionary(grouping: keys, by: \.typeName).sorted(by: { $0.key < $1.key }) {
            for key in keys { _ = try await run.fetch([key], Fetching(scope: FetchedScope.key(typeName, depth: 0))) }
        }
    }

    /// Stores a page.
    ///
    /// - Throws: `SyncError.ignoredParameters` if the server does not say that it has used every condition; then nothing is stored.
    private static func take(
        _ text: FHIRClient.PageText, search: ServerSearch, isFirst: Bool, room: Int, client: FHIRClient, journal: SyncJournal
    ) throws -> FoundPage {
        let received = try client.received(text, takesOutUnreadable: true)
        var page = FoundPage(next: received.next, content: received.content)
        if received.bundle.text("type") != "searchset" {
            throw FHIRClientError(.invalidResponse, "\(search.request): the answer is a Bundle of another type than searchset")
        }
        if isFirst {
            let link = received.bundle.children("link").first { $0.text("relation") == "self" }?.text("url")
            let ignored = search.ignored(selfLink: link)
            guard ignored.conditions.isEmpty else {
                let names = ignored.conditions.map { String($0.prefix { $0 != ":" }) }.joined(separator: ", ")
                throw SyncError(
                    .ignoredParameters,
                    "\(search.request): the server does not say that it has used \(names), so its answer may be one to another search")
            }
            page.ignored = ignored.others
        }
        var states: [RemoteState] = []
        var seen: Set<SyncKey> = []
        for entry in received.bundle.children("entry") {
            let mode = entry.child("search")?.text("mode")
            guard mode != "outcome", let resource = entry.takeResource("resource"), let id = resource.id, FHIRRequest.isAddressable(id)
            else { continue }
            let key = SyncKey(typeName: resource.resourceType, id: id)
            // What was not asked for is not taken over.
            let isMatch = key.typeName == search.typeName && mode != "include"
            guard isMatch ? page.matches.count < room : search.hasIncludes else { continue }
            guard seen.insert(key).inserted else { continue }
            if isMatch { page.matches.append(key) } else { page.included.append(key) }
            let state = RemoteState(key: key, version: resource.child("meta")?.text("versionId"), resource: resource)
            if state.isPart { page.parts.append(key) } else { states.append(state) }
        }
        let unreadable = received.unreadable.filter { $0.typeName == search.typeName }
        page.hasUnreadable = received.unreadable.count > 0
        try journal.takeIn()
        _ = try journal.keep(unreadable)
        for (typeName, states) in Dictionary(grouping: states, by: \.key.typeName) {
            // What happened to changes without an answer is settled by the next sync.
            _ = try journal.receive(states, Fetching(scope: FetchedScope.key(typeName, depth: 0)))
        }
        return page
    }
}

import FireLite
import FireLiteCore
import Foundation

/// How resources are asked for by their ids.
struct Fetching: Sendable {
    /// The key in `_sync_scope` that those get that nobody has found before.
    let scope: String
    /// Whether those that were found before get it too.
    var replacesScope = false
    /// How many references lead to them.
    var depth = 0
    /// Whether a resource that the server refuses to show by itself is noted, and does not end the sync.
    var notesRefusals = true
    /// Whether each is read by itself, as an answer before was in doubt.
    var isConfirmed = false
}

/// What became of resources that were asked for by their ids.
struct Fetched: Sendable {
    var reception = Reception()
    /// The number of those that cannot be read and were not kept before.
    var unreadable = 0
    /// Those that the server has sent, readable or not.
    var found: Set<SyncKey> = []
    /// Those that a FHIR server says it does not have, with the reason.
    var missing: [MissingReference] = []

    /// The number of those that were new here.
    var news: Int { reception.stored + reception.resolved + unreadable }

    mutating func add(_ other: Fetched) {
        reception.add(other.reception)
        unreadable += other.unreadable
        found.formUnion(other.found)
        missing += other.missing
    }
}

extension SyncRun {
    /// The number of resources that are asked for together.
    static let fetchedTogether = 50

    /// Asks for resources of a type by their ids, together, and one by one for those that do not come so. Other resources that the server sends are
    /// not taken over.
    ///
    /// - Parameters:
    ///   - keys: the resources, all of one type.
    ///   - fetching: how they are taken over.
    /// - Throws: `FHIRClientError` if the server fails, or is not there.
    mutating func fetch(_ keys: [SyncKey], _ fetching: Fetching) async throws -> Fetched {
        var fetched = Fetched()
        let keys = keys.filter { FHIRRequest.isAddressable($0.id) && !lockedTypes.contains($0.typeName) }
        for start in stride(from: 0, to: keys.count, by: Self.fetchedTogether) {
            try Task.checkCancellation()
            let wanted = Set(keys[start..<min(start + Self.fetchedTogether, keys.count)])
            // One alone is read as it is, which also says whether it was deleted.
            if wanted.count > 1 { fetched.add(try await fetchTogether(wanted, fetching)) }
            for key in wanted.subtracting(fetched.found).sorted(by: { $0.id < $1.id }) {
                fetched.add(try await fetchAlone(key, fetching))
            }
        }
        return fetched
    }

    private mutating func fetchTogether(_ wanted: Set<SyncKey>, _ fetching: Fetching) async throws -> Fetched {
        guard let typeName = wanted.first?.typeName else { return Fetched() }
        let ids = wanted.map(\.id).sorted().joined(separator: ",")
        let request = FHIRRequest(.get, typeName, parameters: ["_id": ids, "_count": "\(Self.fetchedTogether)"])
        let page: FHIRClient.PageText
        do {
            page = try await client.pageText(request, at: nil)
        } catch let error as FHIRClientError where error.concernsRequest { return Fetched() }
        // A FHIR server that refuses the search or answers something else is asked one by one; anything else is no FHIR server.
        if let head = ResourceHead(page.response.body), head.typeName != "Bundle" { return Fetched() }
        let client = client
        return try await take(fetching) { journal in
            let received = try client.received(page, takesOutUnreadable: true)
            // What has another's address is read by itself.
            let states = client.undisputedEntries(received).compactMap { entry -> RemoteState? in
                guard let state = RemoteState(entry), state.resource != nil, !state.isPart else { return nil }
                return wanted.contains(state.key) ? state : nil
            }
            let unreadable = received.unreadable.filter { wanted.contains(SyncKey(typeName: $0.typeName ?? "", id: $0.id ?? "")) }
            return (states, unreadable)
        }
    }

    mutating func fetchAlone(_ key: SyncKey, _ fetching: Fetching) async throws -> Fetched {
        let (client, request) = (client, try FHIRRequest.read(key.typeName, id: key.id))
        var fetched = Fetched()
        func miss(_ reason: MissingReference.Reason, _ status: Int?) {
            fetched.missing = [MissingReference(typeName: key.typeName, id: key.id, reason: reason, status: status)]
        }
        let response: HTTPResponse
        do {
            response = try await client.send(request)
        } catch let error as FHIRClientError where error.saysAbsent {
            miss(error.status == 410 ? .deleted : .absent, error.status)
            return fetched
        } catch let error as FHIRClientError where fetching.notesRefusals && error.concernsRequest {
            miss(.refused, error.status)
            return fetched
        }
        if fetching.notesRefusals, let head = ResourceHead(response.body), head.typeName != key.typeName || head.id != key.id {
            miss(.refused, nil)
            return fetched
        }
        return try await take(fetching) { journal in
            do {
                return ([try client.state(response, key)], [])
            } catch let error as UnreadableAnswer { return ([], [error.entry]) }
        }
    }

    /// Reads resources that were missing here, and that somebody has decided to have again.
    mutating func fetchWanted() async throws {
        // Nothing is written if there are none.
        guard try await synchronizer.store.read({ try SyncJournal.hasWanted($0) }) else { return }
        let keys = Set(try await journal { try $0.changes("state = 4", []).map(\.key) })
        for (typeName, keys) in Dictionary(grouping: keys, by: \.typeName).sorted(by: { $0.key < $1.key }) {
            let fetching = Fetching(scope: FetchedScope.key(typeName, depth: 0))
            try await remove(try await fetch(keys, fetching).missing)
        }
    }

    /// Stores what a server has sent.
    private mutating func take(
        _ fetching: Fetching, _ read: @escaping @Sendable (SyncJournal) throws -> (states: [RemoteState], unreadable: [UnreadableEntry])
    ) async throws -> Fetched {
        let fetched = try await journal { journal in
            let (states, unreadable) = try read(journal)
            var fetched = Fetched()
            fetched.found = Set(states.map(\.key) + unreadable.map { SyncKey(typeName: $0.typeName ?? "", id: $0.id ?? "") })
            try journal.takeIn()
            fetched.unreadable = try journal.keep(unreadable)
            fetched.reception = try journal.receive(states, fetching)
            return fetched
        }
        count(fetched.reception)
        result.unreadable += fetched.unreadable
        if !isShared {
            try await settle(fetched.reception.unsettled)
            try await readAgain(fetched.reception.doubts, scope: fetching.replacesScope ? fetching.scope : nil)
        }
        return fetched
    }
}

extension SyncJournal {
    /// Whether a resource waits to be read again, of any server.
    static func hasWanted(_ tx: ReadTransaction) throws -> Bool {
        try !tx.rows(of: tables, "SELECT 1 FROM _sync_change WHERE state = 4 LIMIT 1").isEmpty
    }

    /// Takes over what was asked for by its id.
    func receive(_ states: [RemoteState], _ fetching: Fetching) throws -> Reception {
        guard !states.isEmpty else { return Reception() }
        let scope = try cursor(fetching.scope, type: states[0].key.typeName).scope
        let (depth, isConfirmed) = (fetching.depth, fetching.isConfirmed)
        guard !fetching.replacesScope else { return try receive(states, scope: scope, depth: depth, isConfirmed: isConfirmed) }
        let isNew = try states.map { try known($0.key) == nil }
        let (new, old) = (zip(states, isNew).filter(\.1).map(\.0), zip(states, isNew).filter { !$0.1 }.map(\.0))
        var reception = try receive(new, scope: scope, depth: depth, isConfirmed: isConfirmed)
        reception.add(try receive(old, scope: nil, depth: depth, isConfirmed: isConfirmed))
        return reception
    }
}

extension RemoteState {
    /// Whether the server has sent only a part of the resource (FHIR, Search, `_summary`), which must not be stored as the whole.
    var isPart: Bool {
        resource?.child("meta")?.children("tag").contains { $0.text("code") == "SUBSETTED" } ?? false
    }
}

extension FHIRClientError {
    /// Whether the server refuses this request, and may answer others: what concerns the token, the load or the network is not that.
    var concernsRequest: Bool {
        guard let status else { return false }
        return 400..<500 ~= status && ![401, 408, 429].contains(status) || status == 500 || status == 501
    }
}

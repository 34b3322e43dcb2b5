import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// Asks the server what happened to changes that were sent without an answer, and takes over what it has.
    mutating func settle(_ keys: [SyncKey]) async throws {
        for key in try await settleTogether(keys) {
            try Task.checkCancellation()
            let answer = try await there(key)
            do { try await settle(key, answer) } catch  where error.isAboutOneResource {
                // What was sent is not known any more: it is asked for again in the next sync.
                damaged.insert(key)
                let failure = error
                try await journal { try $0.noteDamage(key, failure) }
            }
        }
    }

    private mutating func settle(_ key: SyncKey, _ answer: Answer) async throws {
        let client = client
        switch answer {
        case .versions(let page):
            let (reception, unreadable) = try await journal { journal in
                let received = try client.received(page, takesOutUnreadable: true)
                let unreadable = try journal.keep(received.unreadable)
                return (
                    try journal.settle(key, SyncRun.versions(client, received, key).compactMap { RemoteState($0) }), unreadable
                )
            }
            count(reception)
            result.unreadable += unreadable
            try await readAgain(reception.doubts, scope: nil)
        case .present(let response):
            let reception = try await journal { journal in
                try journal.settle(key, [try client.state(response, key)])
            }
            count(reception)
            try await readAgain(reception.doubts, scope: nil)
        case .absent: count(try await journal { try $0.settle(key, []) })
        case .unreadable(let entry): result.unreadable += try await journal { try $0.keep([entry]) }
        }
    }

    /// The number of resources that are asked for together.
    private static let settledTogether = 50

    /// Settles many changes by the present state of their resources.
    ///
    /// - Returns: those whose histories must be read.
    private mutating func settleTogether(_ keys: [SyncKey]) async throws -> [SyncKey] {
        // What has no address was never sent.
        let release = client.release
        let keys = keys.filter { FHIRRequest.isAddressable($0.id) && release.hasResourceType(named: $0.typeName) }
        guard keys.count > 2 else { return keys }
        var unclear = keys
        for (typeName, keys) in Dictionary(grouping: keys, by: \.typeName).sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: keys.count, by: Self.settledTogether) {
                let asked = Set(keys[start..<min(start + Self.settledTogether, keys.count)])
                let ids = asked.map(\.id).sorted().joined(separator: ",")
                let request = FHIRRequest(.get, typeName, parameters: ["_id": ids, "_count": "\(Self.settledTogether)"])
                let page: FHIRClient.PageText
                do {
                    page = try await client.pageText(request, at: nil)
                } catch let error as FHIRClientError where error.status.map({ 400..<500 ~= $0 }) ?? false && error.code != .unauthorized {
                    continue
                }
                let client = self.client
                let settling = { @Sendable (journal: SyncJournal) in
                    var (settled, reception) = (Set<SyncKey>(), Reception())
                    for entry in client.undisputedEntries(try client.received(page, takesOutUnreadable: true)) {
                        // Without a version nothing can be sent safely: the history or the resource alone may say which it is.
                        guard let state = RemoteState(entry), asked.contains(state.key),
                            state.version != nil
                        else { continue }
                        if try journal.settlesAtOnce(state, &reception) { settled.insert(state.key) }
                    }
                    return (settled, reception)
                }
                do {
                    let (settled, reception) = try await journal(settling)
                    count(reception)
                    unclear.removeAll { settled.contains($0) }
                    try await readAgain(reception.doubts, scope: nil)
                } catch  where error.isAboutOneResource {
                    // One of them cannot be read here: each is asked for by itself.
                }
            }
        }
        return unclear
    }

    // MARK: - What the server has

    /// What a server says about a resource.
    private enum Answer: Sendable {
        /// A history with the resource's newest version.
        case versions(FHIRClient.PageText)
        /// The resource itself, of a server without histories.
        case present(HTTPResponse)
        /// The resource itself, which cannot be read.
        case unreadable(UnreadableEntry)
        /// There is none: the server says so itself.
        case absent
    }

    /// Asks for the history of a resource, and for the resource if that says nothing.
    ///
    /// That a resource is not there is what only a FHIR server says: with a version that deletes it, or with 404 or 410 and an OperationOutcome. An empty
    /// list, or somebody else's 404, says nothing.
    private func there(_ key: SyncKey) async throws -> Answer {
        let path = try FHIRRequest.path(key.typeName, key.id)
        do {
            let page = try await client.pageText(FHIRRequest(.get, path + "/_history", parameters: ["_count": "100"]), at: nil)
            let newest = try Self.versions(client, client.received(page, takesOutUnreadable: true), key).first
            if let newest, RemoteState(newest) != nil { return .versions(page) }
        } catch let error as FHIRClientError {
            guard let status = error.status, [400, 404, 405, 410, 501].contains(status) else { throw error }
        }
        let response: HTTPResponse
        do {
            response = try await client.send(FHIRRequest(.get, path))
        } catch let error as FHIRClientError where error.saysAbsent { return .absent }
        do {
            _ = try client.state(response, key)
            return .present(response)
        } catch let error as UnreadableAnswer { return .unreadable(error.entry) }
    }

    /// The entries of a resource in a history, the newest first, whatever their order is there.
    private static func versions(_ client: FHIRClient, _ page: FHIRClient.ReceivedBundle, _ key: SyncKey) throws -> [FHIRHistoryEntry] {
        let entries = try client.historyEntries(page).filter { $0.typeName == key.typeName && $0.id == key.id }
        let dates = entries.compactMap(\.lastModified)
        guard dates.count == entries.count else { return entries }
        let order = entries.indices.sorted { dates[$0] == dates[$1] ? $0 < $1 : dates[$0] > dates[$1] }
        return order.map { entries[$0] }
    }
}

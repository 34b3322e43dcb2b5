import FireLite
import FireLiteCore
import Foundation

/// One sync from its begin to its end.
struct SyncRun {
    let synchronizer: Synchronizer
    let progress: (@Sendable (SyncProgress) -> Void)?
    /// Who has the lease.
    let owner: String
    var result: SyncResult
    private var foundAbilities: ServerAbilities?

    var client: FHIRClient { synchronizer.client }
    var configuration: Synchronizer.Configuration { synchronizer.configuration }
    var clock: SyncClock { client.configuration.clock }

    init(_ synchronizer: Synchronizer, _ progress: (@Sendable (SyncProgress) -> Void)?) {
        self.synchronizer = synchronizer
        self.progress = progress
        owner = UUID().uuidString
        result = SyncResult(begin: synchronizer.client.configuration.clock.now())
    }

    /// A write with the lease.
    func journal<Value: Sendable>(_ body: @escaping @Sendable (SyncJournal) throws -> Value) async throws -> Value {
        try await synchronizer.journal(owner, body)
    }

    // MARK: - Begin and end

    /// Takes the lease and the changes of the log.
    func begin() async throws { try await journal { try $0.begin() } }

    mutating func run(_ direction: SyncDirection) async throws {
        try await settle(try await journal { try $0.unsettled() })
        if direction != .push { try await pull() }
        if direction != .pull { try await push() }
    }

    /// Gives the lease back, also if the task was cancelled.
    ///
    /// - Parameter keepsResult: whether the store keeps what was done.
    mutating func end(keepsResult: Bool = true) async throws {
        result.end = clock.now()
        let (synchronizer, owner, result) = (synchronizer, owner, result)
        try await Task { try await synchronizer.journal { try $0.end(owner, keepsResult ? result : nil) } }.value
    }

    // MARK: - The server

    /// What the server can do, asked once.
    mutating func abilities() async throws -> ServerAbilities {
        if let foundAbilities { return foundAbilities }
        let abilities: ServerAbilities
        do {
            abilities = ServerAbilities(try await client.capabilities())
        } catch let error as FHIRClientError where error.status.map({ 400..<500 ~= $0 }) ?? false && error.code != .unauthorized {
            abilities = ServerAbilities()
        }
        foundAbilities = abilities
        return abilities
    }

    mutating func count(_ reception: Reception) {
        result.pulled += reception.stored
        result.pulledDeletions += reception.deleted
        result.unchanged += reception.unchanged
        result.resolved += reception.resolved
        result.deferred += reception.deferred
    }

    // MARK: - Settling

    /// Asks the server what happened to changes that were sent without an answer, and takes over what it has.
    mutating func settle(_ keys: [SyncKey]) async throws {
        for key in try await settleTogether(keys) {
            try Task.checkCancellation()
            let page = try await versions(of: key)
            let (client, key) = (client, key)
            let reception = try await journal { journal in
                guard let page else { return try journal.settle(key, []) }
                return try journal.settle(key, SyncRun.states(try client.received(page).bundle, key))
            }
            count(reception)
        }
    }

    /// The number of resources that are asked for together.
    private static let settledTogether = 50

    /// Settles many changes by the present state of their resources.
    ///
    /// - Returns: those whose histories must be read.
    private mutating func settleTogether(_ keys: [SyncKey]) async throws -> [SyncKey] {
        guard keys.count > 2 else { return keys }
        var unclear = keys
        for (typeName, keys) in Dictionary(grouping: keys, by: \.typeName).sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: keys.count, by: Self.settledTogether) {
                let ids = keys[start..<min(start + Self.settledTogether, keys.count)].map(\.id).joined(separator: ",")
                let request = FHIRRequest(.get, typeName, parameters: ["_id": ids, "_count": "\(Self.settledTogether)"])
                let page: FHIRClient.PageText
                do {
                    page = try await client.pageText(request, at: nil)
                } catch let error as FHIRClientError where error.status.map({ 400..<500 ~= $0 }) ?? false && error.code != .unauthorized {
                    continue
                }
                let client = self.client
                let (settled, reception) = try await journal { journal in
                    var (settled, reception) = (Set<SyncKey>(), Reception())
                    for entry in try client.received(page).bundle.children("entry") {
                        guard let entry = FHIRHistoryEntry(entry) else { continue }
                        let key = SyncKey(typeName: entry.typeName, id: entry.id)
                        let state = RemoteState(key: key, version: entry.version, resource: entry.resource)
                        if try journal.settlesAtOnce(state, &reception) { settled.insert(key) }
                    }
                    return (settled, reception)
                }
                count(reception)
                unclear.removeAll { settled.contains($0) }
            }
        }
        return unclear
    }

    /// The history of a resource, or the resource if the server keeps no history; nil if it has none.
    private func versions(of key: SyncKey) async throws -> FHIRClient.PageText? {
        do {
            let request = FHIRRequest(.get, try FHIRRequest.path(key.typeName, key.id) + "/_history", parameters: ["_count": "100"])
            return try await client.pageText(request, at: nil)
        } catch let error as FHIRClientError {
            switch error.status {
            case 404, 410: return nil
            case 400, 405, 501: break
            default: throw error
            }
        }
        do {
            // A search, so that the answer is a Bundle too.
            return try await client.pageText(FHIRRequest(.get, key.typeName, parameters: ["_id": key.id]), at: nil)
        } catch let error as FHIRClientError where error.status == 404 || error.status == 410 { return nil }
    }

    /// The versions of a resource in a Bundle, the newest first.
    private static func states(_ bundle: FHIRResource, _ key: SyncKey) -> [RemoteState] {
        bundle.children("entry").compactMap { entry in
            guard let entry = FHIRHistoryEntry(entry), entry.typeName == key.typeName, entry.id == key.id else { return nil }
            return RemoteState(key: key, version: entry.version, resource: entry.resource)
        }
    }
}

import FireLite
import FireLiteCore
import Foundation

/// One sync from its begin to its end.
struct SyncRun {
    let synchronizer: Synchronizer
    let progress: ProgressReporter<SyncProgress>
    /// Who has the lease.
    let owner: String
    var result: SyncResult
    /// Whether other syncs may run at the same time: it has no lease then, and leaves what was sent without an answer to them.
    var isShared = false
    /// The types that are left alone, as resources of them are sealed and no key is set.
    var lockedTypes: Set<String> = []
    /// The resources with changes that cannot be sent, as they cannot be read here.
    var damaged: Set<SyncKey> = [] { didSet { result.damaged = damaged.count } }
    /// Whether rows of the journal were lost, so that everything is compared.
    private var isLost = false
    private var foundAbilities: ServerAbilities?

    var client: FHIRClient { synchronizer.client }
    var configuration: Synchronizer.Configuration { synchronizer.configuration }
    var clock: FHIRClock { client.configuration.clock }

    init(_ synchronizer: Synchronizer, _ progress: ProgressHandler<SyncProgress>?) {
        self.synchronizer = synchronizer
        self.progress = ProgressReporter(progress)
        owner = LeaseOwner().text
        result = SyncResult(startedAt: synchronizer.client.configuration.clock.now())
    }

    /// A write with the lease, unless it is shared.
    func journal<Value: Sendable>(_ body: @escaping @Sendable (SyncJournal) throws -> Value) async throws -> Value {
        try await synchronizer.journal(isShared ? nil : owner, body)
    }

    // MARK: - Begin and end

    /// Takes the lease and the changes of the log.
    mutating func begin() async throws {
        isLost = try await journal { journal in
            try journal.begin()
            return journal.isLost
        }
        try await findLocked()
    }

    /// Looks for what is sealed without a key.
    mutating func findLocked() async throws {
        lockedTypes = try await synchronizer.store.read { try $0.lockedTypes() }
        result.lockedTypes = lockedTypes.sorted()
    }

    mutating func run(_ direction: SyncDirection) async throws {
        let locked = lockedTypes
        try await settle(try await journal { try $0.unsettled().filter { !locked.contains($0.typeName) } })
        let before = try await stepsBack()
        // After a loss of rows, everything is compared before anything is sent.
        if direction != .push || isLost { try await pull() }
        try await endStepsBack(before)
        if isLost { try await journal { try $0.endComparing() } }
        if direction != .pull { try await push() }
    }

    /// Gives the lease back, also if the task was cancelled.
    ///
    /// - Parameter keepsResult: whether the store keeps what was done.
    mutating func end(keepsResult: Bool = true) async throws {
        result.endedAt = clock.now()
        let (synchronizer, owner, last) = (synchronizer, owner, result)
        result.undecided = try await Task {
            try await synchronizer.journal { journal in
                var result = last
                result.undecided = try journal.undecidedCount
                try journal.end(owner, keepsResult ? result : nil)
                return result.undecided
            }
        }.value
    }

    // MARK: - The server

    /// What the server can do, asked once.
    mutating func abilities() async throws -> ServerAbilities {
        if let foundAbilities { return foundAbilities }
        let abilities: ServerAbilities
        do {
            abilities = ServerAbilities(try await client.capabilities())
        } catch let error as FHIRClientError where error.status.map({ [400, 403, 404, 405, 406, 410].contains($0) }) ?? false {
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
        result.unreadable += reception.misnamed
    }
}

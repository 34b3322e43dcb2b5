import Foundation

/// The result of a sync.
public struct SyncResult: Sendable, Hashable, Codable {
    /// When it began, by the device's clock.
    public internal(set) var startedAt: Date
    /// When it ended, by the device's clock.
    public internal(set) var endedAt: Date
    /// The number of resources that were pulled into the store.
    public internal(set) var pulled = 0
    /// The number of resources that were deleted in the store because they were deleted at the server.
    public internal(set) var pulledDeletions = 0
    /// The number of pulled versions that the store already had.
    public internal(set) var unchanged = 0
    /// The number of resources that were created at the server.
    public internal(set) var created = 0
    /// The number of resources that were changed at the server.
    public internal(set) var updated = 0
    /// The number of resources that were deleted at the server.
    public internal(set) var deleted = 0
    /// The number of conflicts that were resolved.
    public internal(set) var resolved = 0
    /// The number of conflicts that were deferred.
    public internal(set) var deferred = 0
    /// The number of changes that the server has refused.
    public internal(set) var parked = 0
    /// The number of changes that were not sent although the server did not refuse them: they refer to refused or conflicting resources, or
    /// failed and are sent again with the next push.
    public internal(set) var waiting = 0
    /// The number of resources whose changes were not sent, as they cannot be read in the store: a row is damaged, or a payload is lost. They stay
    /// ``SyncState/pending``, and ``PendingChange/issues`` says why.
    public internal(set) var damaged = 0
    /// The number of new resources and versions from the server that cannot be read: ``Synchronizer/unreadable(limit:)``.
    public internal(set) var unreadable = 0
    /// The number of resources that the server counted but sent on no page of its searches.
    public internal(set) var missing = 0
    /// The number of resources that were pulled because others refer to them: see ``Prefetch``.
    public internal(set) var prefetched = 0
    /// The number of references that were not followed yet, as there were too many for one pull; the next pull continues with them.
    public internal(set) var leftToPrefetch = 0
    /// The referenced resources that the server does not have, or refuses, as this pull found. ``Synchronizer/missingReferences(limit:)``
    /// lists all.
    public internal(set) var missingReferences: [MissingReference] = []
    /// The types that were skipped in both directions because their resources are sealed and no keyring is set; a sync with the keyring
    /// catches up.
    public internal(set) var lockedTypes: [String] = []
    /// The number of resources that are ``SyncState/undecided`` now: nothing was done about them at the server or in the store.
    public internal(set) var undecided = 0
    /// The types of which the server has not said what was deleted there, as it keeps no histories of them: the store still has what it deleted.
    public internal(set) var typesWithoutDeletions: [String] = []
    /// Why it ended early; nil if it was completed. Without values of records.
    public internal(set) var failure: String?

    init(startedAt: Date) {
        self.startedAt = startedAt
        endedAt = startedAt
    }

    /// The names of the stored form.
    private enum CodingKeys: String, CodingKey {
        case startedAt = "begin"
        case endedAt = "end"
        case pulled, pulledDeletions, unchanged, created, updated, deleted, resolved, deferred, parked, waiting, damaged, unreadable,
            missing
        case prefetched, leftToPrefetch, missingReferences, lockedTypes, undecided, typesWithoutDeletions
        case failure
    }

    /// Reads a result, including one of an earlier version of the library, which has fewer numbers.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int { try values.decodeIfPresent(Int.self, forKey: key) ?? 0 }
        startedAt = try values.decode(Date.self, forKey: .startedAt)
        endedAt = try values.decode(Date.self, forKey: .endedAt)
        (pulled, pulledDeletions, unchanged) = (try count(.pulled), try count(.pulledDeletions), try count(.unchanged))
        (created, updated, deleted) = (try count(.created), try count(.updated), try count(.deleted))
        (resolved, deferred, parked) = (try count(.resolved), try count(.deferred), try count(.parked))
        damaged = try count(.damaged)
        (waiting, unreadable, missing) = (try count(.waiting), try count(.unreadable), try count(.missing))
        (prefetched, leftToPrefetch) = (try count(.prefetched), try count(.leftToPrefetch))
        missingReferences = try values.decodeIfPresent([MissingReference].self, forKey: .missingReferences) ?? []
        lockedTypes = try values.decodeIfPresent([String].self, forKey: .lockedTypes) ?? []
        undecided = try count(.undecided)
        typesWithoutDeletions = try values.decodeIfPresent([String].self, forKey: .typesWithoutDeletions) ?? []
        failure = try values.decodeIfPresent(String.self, forKey: .failure)
    }

    /// The number of changes that were sent.
    public var pushed: Int { created + updated + deleted }
}

/// The progress of a sync: see ``Synchronizer/sync(_:progress:)``.
public struct SyncProgress: Sendable, Hashable {
    /// A part of a sync.
    public enum Phase: String, Sendable {
        /// Resources are read from the server.
        case pull
        /// Changes are sent.
        case push
    }

    /// The part.
    public let phase: Phase
    /// The type that is pulled; nil while changes are sent.
    public let typeName: String?
    /// The number of resources so far.
    public let done: Int
    /// The number of all resources, as far as it is known.
    public let total: Int?

    /// Progress of a part.
    ///
    /// - Parameters:
    ///   - phase: the part.
    ///   - typeName: the type that is pulled.
    ///   - done: the number of resources so far.
    ///   - total: the number of all resources, if it is known.
    package init(phase: Phase, typeName: String?, done: Int, total: Int?) {
        self.phase = phase
        self.typeName = typeName
        self.done = done
        self.total = total
    }
}

/// The directions of a sync.
public enum SyncDirection: String, Sendable {
    /// From the server into the store, and back.
    case both
    /// From the server into the store.
    case pull
    /// From the store to the server.
    case push
}

import FireLite
import FireLiteCore
import Foundation

/// A deferred conflict with both sides and their merge, for a person who decides: see ``Synchronizer/conflicts(limit:)``.
public struct DeferredConflict: Sendable, Hashable {
    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// The state that both sides began with, as JSON; nil if there was none.
    public let base: String?
    /// The store's state as JSON; nil if it was deleted here.
    public let local: String?
    /// The server's state as JSON; nil if it was deleted there.
    public let remote: String?
    /// The server's version; nil if the server does not say.
    public let remoteVersion: String?
    /// The changes of both sides as JSON, with the server's value of elements that both have changed; nil if one side has deleted the resource.
    public let merged: String?
    /// The elements that both sides have changed in different ways: `name[0].family`.
    public let paths: [String]
}

extension Synchronizer {
    /// The decision about a deferred conflict.
    public enum Decision: Sendable, Hashable {
        /// The store's state.
        case local
        /// The server's state.
        case remote
        /// The changes of both sides, if they concern different elements.
        case merge
        /// The changes of both sides; elements that both have changed get the value of one. What one side deleted and the other changed stays.
        case mergePreferring(ThreeWayMerge.Side)
        /// Another state of the resource, as JSON.
        case json(String)
    }

    /// The deferred conflicts, in the order in which the changes were made. They are only read, also from a store that cannot be written.
    ///
    /// - Parameter limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func conflicts(limit: Int? = nil) async throws -> [DeferredConflict] {
        do { return try await storedConflicts(limit) } catch let error as FHIRStoreError where error.code == .olderFormat {
            // A journal adds the tables that a file of an earlier version lacks.
            try await journal { _ in }
            return try await storedConflicts(limit)
        }
    }

    private func storedConflicts(_ limit: Int?) async throws -> [DeferredConflict] {
        let base = base
        return try await store.read { tx in
            // What the change log has and the list has not makes no conflict and ends none, so it is not taken in.
            try tx.conflictingChanges(with: base, limit: limit).map { change in
                let conflict = try tx.conflict(change)
                var merged: ThreeWayMerge?
                if let local = conflict.local, let remote = conflict.remote {
                    merged = ThreeWayMerge(base: conflict.base, local: local, remote: remote)
                }
                return DeferredConflict(
                    typeName: conflict.typeName, id: conflict.id, base: change.base, local: conflict.local.map { FHIRJSON.string($0) },
                    remote: change.remote, remoteVersion: conflict.remoteVersion, merged: merged.map { FHIRJSON.string($0.resource) },
                    paths: merged?.conflicts ?? [])
            }
        }
    }

    /// Resolves a deferred conflict. If the result differs from the server's state, the next push sends it.
    ///
    /// - Parameters:
    ///   - typeName: the resource's type.
    ///   - id: the resource's id.
    ///   - decision: which side counts, or their merge.
    /// - Returns: whether there was a deferred conflict.
    /// - Throws: `SyncError.conflict` if both sides have changed the same elements, or one has deleted the resource, and the decision does not say
    ///   which counts; `FHIRDecodingError`; `FHIRStoreError`.
    @discardableResult
    public func resolve(_ typeName: String, id: String, with decision: Decision) async throws -> Bool {
        let release = store.release
        return try await resolve(typeName, id: id) { conflict in
            switch decision {
            case .local: return .local
            case .remote: return .remote
            case .json(let text): return .merged(try FHIRJSON.resource(from: Data(text.utf8), release: release))
            case .merge:
                guard let local = conflict.local, let remote = conflict.remote else {
                    throw SyncError(.conflict, "\(typeName)/\(id): one side has deleted it, which cannot be merged: keep one side")
                }
                let merge = ThreeWayMerge(base: conflict.base, local: local, remote: remote)
                guard merge.conflicts.isEmpty else {
                    throw SyncError(
                        .conflict,
                        "\(typeName)/\(id): both sides have changed \(merge.conflicts.prefix(5).joined(separator: ", ")): say whose value counts"
                    )
                }
                return .merged(merge.resource)
            case .mergePreferring(let side):
                guard let local = conflict.local else { return .remote }
                guard let remote = conflict.remote else { return .local }
                return .merged(ThreeWayMerge(base: conflict.base, local: local, remote: remote, preferring: side).resource)
            }
        }
    }
}

extension SyncJournal {
    /// A deferred conflict, with objects of its own.
    func conflict(_ change: WaitingChange) throws -> SyncConflict { try tx.conflict(change) }
}

extension ReadTransaction {
    /// The changes that are in conflict with a server; none if the store was never synchronized with it.
    fileprivate func conflictingChanges(with base: String, limit: Int?) throws -> [WaitingChange] {
        try rows(
            of: SyncJournal.tables,
            """
            SELECT \(WaitingChange.columns) FROM _sync_change WHERE server = (SELECT server FROM _sync_server WHERE base = ?) AND state = 2
            ORDER BY change LIMIT ?
            """, [.text(base), .integer(Int64(limit ?? -1))]
        ).map { try WaitingChange($0, opening: openedChange) }
    }

    fileprivate func conflict(_ change: WaitingChange) throws -> SyncConflict {
        guard store.release.hasResourceType(named: change.key.typeName) else {
            throw SyncJournal.damage("_sync_change", change.number, "type")
        }
        return SyncConflict(
            typeName: change.key.typeName, id: change.key.id, base: try change.resource(change.base, "base", store.release),
            local: try storedForServer(change.key)?.copy(), remote: try change.resource(change.remote, "remote", store.release),
            remoteVersion: change.remoteVersion)
    }

    /// The store's state of a resource, with references that the server understands; nil if there is none.
    func storedForServer(_ key: SyncKey) throws -> FHIRResource? {
        try resource(typeName: key.typeName, id: key.id).map { try whole(withAssignedIDs($0)) }
    }

    /// Opens a text of the list of changes that is sealed.
    func openedChange(_ text: String) throws -> String {
        guard let sealer = store.sealing.sealer else {
            throw FHIRStoreError(.missingKey, "a change is sealed, and no keyring is set", remedy: .giveKeyring)
        }
        return try sealer.open(text: text)
    }
}

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

    /// The deferred conflicts, in the order in which the changes were made.
    ///
    /// - Parameter limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func conflicts(limit: Int? = nil) async throws -> [DeferredConflict] {
        try await journal { journal in
            try journal.beginIfStarted()
            return try journal.changes("state = 2", [], limit: limit).map { change in
                let conflict = try journal.conflict(change)
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
    func conflict(_ change: WaitingChange) throws -> SyncConflict {
        SyncConflict(
            typeName: change.key.typeName, id: change.key.id, base: try change.base.map { try resource($0) },
            local: try stored(change.key)?.copy(), remote: try change.remote.map { try resource($0) }, remoteVersion: change.remoteVersion)
    }
}

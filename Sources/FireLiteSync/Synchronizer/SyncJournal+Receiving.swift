import FireLite
import FireLiteCore
import Foundation

/// What a server has of a resource.
struct RemoteState {
    let key: SyncKey
    /// The version; nil if the server does not say.
    let version: String?
    /// The content; nil if it was deleted.
    let resource: FHIRResource?

    init(key: SyncKey, version: String?, resource: FHIRResource?) {
        self.key = key
        self.version = version
        self.resource = resource
    }

    /// What an entry of a history or search says.
    ///
    /// - Returns: nil if it says neither what the resource is nor that it was deleted.
    init?(_ entry: FHIRHistoryEntry) {
        guard entry.resource != nil || entry.isDeletion else { return nil }
        self.init(key: SyncKey(typeName: entry.typeName, id: entry.id), version: entry.version, resource: entry.resource)
    }
}

/// What became of states that a server sent.
struct Reception: Sendable {
    var stored = 0
    var deleted = 0
    var unchanged = 0
    var resolved = 0
    var deferred = 0
    /// Resources with a change that was sent without an answer: only their histories say what happened to it.
    var unsettled: [SyncKey] = []
    /// Resources that are read again by themselves.
    var doubts: [Doubt] = []
    /// The number of resources whose ids are none, and that were not kept before.
    var misnamed = 0

    mutating func add(_ other: Reception) {
        stored += other.stored
        deleted += other.deleted
        unchanged += other.unchanged
        resolved += other.resolved
        deferred += other.deferred
        unsettled += other.unsettled
        doubts += other.doubts
        misnamed += other.misnamed
    }
}

extension SyncJournal {
    /// Takes over what a server has. What is pulled is not logged as a change, as the write's origin is the server.
    ///
    /// - Parameters:
    ///   - states: the states, each resource once.
    ///   - scope: the search that found them; nil if none did.
    ///   - isSettled: whether it is known what happened to changes that were sent without an answer.
    ///   - depth: how many references lead from what was pulled to the states.
    ///   - since: the server's time from which changes were asked for, in milliseconds; nil for all. Earlier ones of known
    ///     versions, which some servers send too, are not compared.
    ///   - isConfirmed: whether the server has shown the states again by themselves, so that versions from before the known ones are conflicts. Others
    ///     are doubts.
    func receive(
        _ states: [RemoteState], scope: Int64?, isSettled: Bool = false, depth: Int = 0, since: Int64? = nil, isConfirmed: Bool = false
    ) throws -> Reception {
        // What was edited since the last look must not be taken for the state that was sent.
        try takeIn()
        var reception = Reception()
        var plain: [FHIRResource] = []
        let hasChanges = try !changes("1", [], limit: 1).isEmpty
        let hasUnreadable = try self.hasUnreadable
        var references = try ReferencesToFollow(self, depth: depth)
        for state in states {
            guard FHIRRequest.isID(state.key.id) else {
                if let resource = state.resource { reception.misnamed += try keepMisnamed(resource) }
                continue
            }
            let waiting = hasChanges ? try changes(of: state.key) : []
            let standing = try self.standing(state.key)
            let known = standing?.known
            let isWanted = waiting.contains { $0.state == .wanted }
            let isUnsettled = !isSettled && !isConfirmed && waiting.contains(where: \.isUncertain)
            if !isWanted, !isUnsettled, let standing, try isEarlier(state, standing) {
                if waiting.contains(where: { $0.state == .conflict && $0.remoteVersion == state.version }) {
                    reception.unchanged += 1
                } else if isConfirmed {
                    try deferEarlier(state, standing, waiting, &reception)
                } else {
                    reception.doubts.append(Doubt(state))
                }
                continue
            }
            if let standing, !isUnsettled, try endStepBack(state, standing, waiting, scope: scope, &reception) { continue }
            if hasUnreadable { try removeUnreadable(state.key) }
            if isLost, let version = state.version, known?.version == version, try compare(state, waiting, scope: scope) {
                reception.unchanged += 1
                continue
            }
            if let known, try isGivenAgain(state, known, waiting, since) {
                if !isConfirmed {
                    reception.doubts.append(Doubt(state))
                } else if !isUnsettled, let remote = state.resource, try deferGivenAgain(state, remote, scope, &reception) {
                    // Nothing is merged: what the known version had and this one lacks, nobody has removed.
                } else if !waiting.isEmpty {
                    try receive(state, waiting: waiting, known: known, scope: scope, isSettled: isSettled, reception: &reception)
                } else if let remote = state.resource {
                    plain.append(remote)
                }
                continue
            }
            if let version = state.version, known?.version == version, state.resource != nil, !isWanted {
                // Versions that are sent one by one stay what they are.
                guard known?.isOwn == true, !waiting.isEmpty, !waiting.contains(where: \.isEach) else {
                    if known?.isOwn == true, let resource = state.resource {
                        // Pushed from here; the server may have added something.
                        if waiting.isEmpty, try deferReduced(state, resource, scope, &reception) { continue }
                        try remember(state.key, version: version, scope: scope)
                        if waiting.isEmpty { plain.append(resource) }
                    }
                    reception.unchanged += 1
                    continue
                }
                try receive(state, waiting: waiting, known: known, scope: scope, isSettled: isSettled, reception: &reception)
            } else if !waiting.isEmpty {
                try references?.add(state)
                try receive(state, waiting: waiting, known: known, scope: scope, isSettled: isSettled, reception: &reception)
            } else if let resource = state.resource {
                try references?.add(state)
                plain.append(resource)
                try remember(state.key, version: state.version, scope: scope, isNew: standing == nil)
                reception.stored += 1
            } else {
                try remove(state.key, &reception)
            }
        }
        if !plain.isEmpty { _ = try tx.store(plain) }
        try references?.note()
        return reception
    }

    private func remove(_ key: SyncKey, _ reception: inout Reception) throws {
        if try tx.delete(typeName: key.typeName, id: key.id) { reception.deleted += 1 } else { reception.unchanged += 1 }
        if try standing(key)?.isDeleted != true { try forget(key) }
    }

    /// Takes over a state of a resource that has changes to send.
    private func receive(
        _ state: RemoteState, waiting: [WaitingChange], known: Known?, scope: Int64?, isSettled: Bool, reception: inout Reception
    ) throws {
        let key = state.key
        guard let first = waiting.first else { return }
        if !isSettled, waiting.contains(where: \.isUncertain) { return reception.unsettled.append(key) }
        let local = try stored(key)
        let base = try self.base(first)
        // Pushed from here and edited since; the server may have added something, and nobody else has changed it.
        let isOwn = known?.isOwn == true && state.version != nil && known?.version == state.version
        let isReduced = isOwn && !(base.flatMap { state.resource?.hasEverything(ofSent: $0, base: self.base) } ?? true)
        if isOwn, !isReduced, let base { state.resource?.keepForms(ofSent: base, base: self.base) }
        func adopt() throws {
            try removeChanges(of: key)
            guard let remote = state.resource else { return try remove(key, &reception) }
            _ = try tx.store([remote])
            try remember(key, version: state.version, scope: scope)
        }
        if waiting.contains(where: { $0.state == .wanted }) {
            if state.resource != nil { reception.stored += 1 }
            return try adopt()
        }
        switch (local, state.resource) {
        case (nil, nil):
            try removeChanges(of: key)
            try forget(key)
            reception.unchanged += 1
            return
        case (let local?, let remote?) where local.isSame(atServerAs: remote):
            reception.unchanged += 1
            return try adopt()
        case _ where waiting.contains(where: \.state.isUndecided):
            // Neither side changes the other until somebody decides.
            reception.unchanged += 1
            return
        case (_, let remote?):
            // An answer has said that the change was made, and it is in no version: the server has kept nothing of it, or another thing than was sent.
            if isSettled, let local, waiting.contains(where: \.isAnswered), known == nil || known?.version != state.version {
                return try deferUnlessServerWins(state, remote, local, .notKept, scope, &reception) ? () : adopt()
            }
            if let base, base.isSame(atServerAs: remote) {
                // A new version with the old content.
                reception.unchanged += 1
                return try remember(key, version: state.version, scope: scope)
            }
            let isDeferred = waiting.contains { $0.state == .conflict }
            if isReduced {
                // What it has not kept must not count as taken out there.
            } else if let local, !isDeferred {
                let merge = ThreeWayMerge(base: base, local: local, remote: remote)
                let isThere = merge.conflicts.isEmpty && merge.resource.isSame(atServerAs: remote)
                if isThere || isOwn && merge.conflicts.isEmpty {
                    // The server has every change of here already, or has only added to what came from here.
                    reception.unchanged += 1
                    return isThere ? try adopt() : try keep(merge.resource, state: state, scope: scope, adopt: adopt)
                }
            } else if isOwn, !isDeferred {
                reception.unchanged += 1
                return try keepLocal(state, scope)
            }
        case (_, nil):
            if known == nil, !isLost {
                // The server never had it.
                reception.unchanged += 1
                return
            }
        }
        let conflict = SyncConflict(
            typeName: key.typeName, id: key.id, base: isReduced ? nil : base, local: local?.copy(), remote: state.resource?.copy(),
            remoteVersion: state.version)
        let isDeferred = waiting.contains { $0.state == .conflict }
        // While everything is compared, nobody knows which side was changed.
        switch isDeferred || isLost && first.base == nil ? .deferred : try configuration.conflicts.resolve(conflict) {
        case .remote:
            reception.resolved += 1
            try adopt()
        case .local:
            reception.resolved += 1
            try keepLocal(state, scope)
        case .merged(let merged):
            reception.resolved += 1
            try keep(merged, state: state, scope: scope, adopt: adopt)
        case .deferred:
            reception.deferred += 1
            try rebase(key, on: first.base, .conflict)
            try noteRemote(state)
        }
    }

    /// Notes what the server has of a resource with a conflict, and what is to be said about it.
    func noteRemote(_ state: RemoteState, _ issue: OutcomeIssue? = nil) throws {
        try run(
            "UPDATE _sync_change SET remote = ?, remoteVersion = ?, issues = ? WHERE server = ? AND type = ? AND id = ?",
            [
                .optional(state.resource.map { try sealing(FHIRJSON.string($0), of: state.key) }), .optional(state.version),
                .optional(issue.map { String(decoding: try JSONEncoder().encode([$0]), as: UTF8.self) }), .integer(server),
                .text(state.key.typeName), .text(state.key.id),
            ])
    }

    /// Notes a conflict if the server lacks something of what was sent to it, or has changed it: taking that over would lose it here, too. A policy by
    /// which the server's state wins takes it over. What has only another form there gets the one that was sent.
    ///
    /// - Returns: whether nothing else is to be done about the state.
    private func deferReduced(
        _ state: RemoteState, _ remote: FHIRResource, _ scope: Int64?, _ reception: inout Reception
    ) throws -> Bool {
        let key = state.key
        let local: FHIRResource?
        do { local = try stored(key) } catch  where error.isAboutOneResource { return false }
        guard let local else { return false }
        guard !remote.hasEverything(ofSent: local, base: base) else {
            remote.keepForms(ofSent: local, base: base)
            return false
        }
        return try deferUnlessServerWins(state, remote, local, .notKept, scope, &reception)
    }

    /// Notes a conflict that no merge can end, unless the policy is that the server's state wins.
    ///
    /// - Returns: false if it wins.
    func deferUnlessServerWins(
        _ state: RemoteState, _ remote: FHIRResource, _ local: FHIRResource, _ issue: OutcomeIssue, _ scope: Int64?,
        _ reception: inout Reception
    ) throws -> Bool {
        let key = state.key
        let conflict = SyncConflict(
            typeName: key.typeName, id: key.id, base: nil, local: local.copy(), remote: remote.copy(), remoteVersion: state.version)
        if case .remote = try configuration.conflicts.resolve(conflict) {
            reception.resolved += 1
            return false
        }
        if try changes(of: key).isEmpty { try insert(key, try tx.newestChange(), base: nil, content: nil, true) }
        try rebase(key, on: nil, .conflict)
        try noteRemote(state, issue)
        try remember(key, version: state.version, scope: scope)
        reception.deferred += 1
        return true
    }

    /// The store's state is sent, based on the server's.
    func keepLocal(_ state: RemoteState, _ scope: Int64?) throws {
        try rebase(state.key, on: state.resource.map { FHIRJSON.string($0) })
        if state.resource == nil { try forget(state.key) } else { try remember(state.key, version: state.version, scope: scope) }
    }

    /// A merged state is stored and sent, based on the server's.
    func keep(_ merged: FHIRResource, state: RemoteState, scope: Int64?, adopt: () throws -> Void) throws {
        guard merged.resourceType == state.key.typeName else {
            throw SyncError(.invalidArgument, "a merged \(state.key.typeName) is a \(merged.resourceType): return one of the same type")
        }
        let own = merged.isManaged || merged.ownerObject != nil ? merged.copy() : merged
        own.id = state.key.id
        if let remote = state.resource, own.isSame(atServerAs: remote) { return try adopt() }
        _ = try tx.store([own])
        try keepLocal(state, scope)
    }
}

extension OutcomeIssue {
    /// The server has not kept all that was sent to it.
    static let notKept = OutcomeIssue(
        severity: "warning", code: "conflict", detailCodes: ["not-kept"], diagnostics: "the server has not kept all that was sent")

    /// Whether a conflict is one of a server that has not kept what was sent to it, so that sending it again is of no use until it does.
    package var isNotKept: Bool { detailCodes == Self.notKept.detailCodes }

    /// Whether a conflict is one of a server that went back or gave a version's number again, so that the store's state may replace what others have
    /// written since.
    package var isOfRestoredServer: Bool { [[SyncJournal.wentBack], [SyncJournal.givenAgain]].contains(detailCodes) }
}

extension FHIRResource {
    /// Whether both have the same content apart from what servers add.
    func isSame(atServerAs other: FHIRResource) -> Bool {
        if self == other { return true }
        guard layoutTable == other.layoutTable else { return false }
        return withoutServerMeta == other.withoutServerMeta
    }
}

extension FHIRClient {
    /// What an answer to reading a resource says about it.
    ///
    /// - Throws: ``UnreadableAnswer`` if it is the resource and cannot be read; `FHIRClientError.invalidResponse` if it is something else.
    func state(_ response: HTTPResponse, _ key: SyncKey) throws -> RemoteState {
        let request = FHIRRequest(.get, key.typeName)
        guard let head = ResourceHead(response.body), head.typeName == key.typeName, head.id == key.id else {
            throw request.noEvidence(response, "the answer is not the resource that was asked for")
        }
        let resource: FHIRResource
        do { resource = try read(response.body) } catch let error as FHIRDecodingError {
            throw UnreadableAnswer(entry: UnreadableEntry(response.body, reason: error.description))
        }
        let version = resource.child("meta")?.text("versionId") ?? FHIRRequest.version(inEntityTag: response.fields["ETag"])
        return RemoteState(key: key, version: version, resource: resource)
    }
}

/// An answer with a resource that cannot be read.
struct UnreadableAnswer: Error {
    let entry: UnreadableEntry
}

import FireLite
import FireLiteCore
import Foundation

/// A resource of which a server has sent something that contradicts what it said before, so that it is read again by itself.
struct Doubt: Sendable, Hashable {
    let key: SyncKey
    let version: String?
    let isDeletion: Bool

    init(_ state: RemoteState) { (key, version, isDeletion) = (state.key, state.version, state.resource == nil) }

    init(_ state: RemoteState, isDeletion: Bool) { (key, version, self.isDeletion) = (state.key, state.version, isDeletion) }

    init(_ key: SyncKey) { (self.key, version, isDeletion) = (key, nil, false) }
}

/// A resource in an entry that has the address of another one, or one without an id.
struct MisnamedEntry: Sendable {
    /// The resource at that address.
    let key: SyncKey
    let version: String?
    let text: String

    /// - Returns: nil if the entry has no address at this server, or that of the resource.
    init?(_ entry: FHIRObject, _ resource: FHIRResource, base: String) {
        guard let url = entry.text("fullUrl"), url.hasPrefix(base + "/"), let place = ResourceLocation(url) else { return nil }
        key = SyncKey(typeName: place.typeName, id: place.id)
        guard key.typeName != resource.resourceType || key.id != resource.id else { return nil }
        version = resource.child("meta")?.text("versionId")
        text = FHIRJSON.string(resource)
    }

    static let reason = "its type and id are not those of its address"
}

extension RemoteState {
    /// Whether its version has a lower number than another one.
    func hasLowerVersion(than other: String?) -> Bool {
        guard let version = version.flatMap({ Int64($0) }), let other = other.flatMap({ Int64($0) }) else { return false }
        return version < other
    }

    fileprivate var lastUpdated: Date? { resource?.child("meta")?.instant("lastUpdated")?.date }
}

extension SyncJournal {
    /// Stands in `OutcomeIssue.detailCodes` for a server that has an earlier version than before.
    static let wentBack = "version-went-back"

    /// Notes that the server has deleted a resource as it was asked to, so that it is noticed if that version comes back.
    func bury(_ key: SyncKey) throws {
        try run(
            "UPDATE _sync_resource SET own = 3 WHERE server = ? AND type = ? AND id = ?",
            [.integer(server), .text(key.typeName), .text(key.id)])
    }

    /// Whether a state is from before the version that is known: its number is lower or, if versions are no numbers, its time earlier. A deleted
    /// version must not come back at all.
    func isEarlier(_ state: RemoteState, _ standing: Standing?) throws -> Bool {
        guard let standing, let version = state.version, let known = standing.version else { return false }
        if standing.isDeleted { return state.resource != nil && (version == known || state.hasLowerVersion(than: known)) }
        guard version != known else { return false }
        if Int64(version) != nil, Int64(known) != nil { return state.hasLowerVersion(than: known) }
        guard let time = state.lastUpdated else { return false }
        do {
            guard let meta = try tx.resource(typeName: state.key.typeName, id: state.key.id)?.child("meta"),
                meta.text("versionId") == known, let before = meta.instant("lastUpdated")?.date
            else { return false }
            return time < before
        } catch  where error.isAboutOneResource { return false }
    }

    /// The server has an earlier version than before, as after a restored backup: a conflict, whatever the policy is, as nobody has edited anything.
    func deferEarlier(_ state: RemoteState, _ standing: Standing, _ waiting: [WaitingChange], _ reception: inout Reception) throws {
        let key = state.key
        guard !waiting.contains(where: \.state.isUndecided) else {
            reception.unchanged += 1
            return
        }
        if waiting.isEmpty, let remote = state.resource, let local = try stored(key), local.isSame(atServerAs: remote) {
            reception.unchanged += 1
            return try remember(key, version: state.version)
        }
        let newest = try tx.newestChange()
        if waiting.isEmpty { try insert(key, newest, base: nil, content: nil, true) }
        try rebase(key, on: waiting.first?.base, .conflict)
        let (before, now) = (standing.version ?? "?", state.version ?? "?")
        let text =
            standing.isDeleted
            ? "the server went back to version \(now), which was deleted" : "the server went back from version \(before) to \(now)"
        // An edit gives the change another number.
        let issue = OutcomeIssue(
            severity: "warning", code: "conflict", detailCodes: [Self.wentBack], details: waiting.isEmpty ? "\(newest)" : nil,
            diagnostics: text)
        try noteRemote(state, issue)
        reception.deferred += 1
    }

    /// Whether the server has given the number of the version that is known to another content, at another time, as it can after a backup was restored.
    ///
    /// - Parameter since: the server's time from which changes were asked for; what was changed before was seen then.
    func isGivenAgain(_ state: RemoteState, _ known: Known, _ waiting: [WaitingChange], _ since: Int64?) throws -> Bool {
        guard let remote = state.resource, let version = state.version, version == known.version, let time = state.lastUpdated,
            since.map({ time.milliseconds(.up) >= $0 }) ?? true, !known.isOwn, !known.isPurged, !isLost,
            !waiting.contains(where: \.state.isUndecided)
        else { return false }
        do {
            guard let before = try content(of: version, state.key, waiting), before.child("meta")?.instant("lastUpdated")?.date != time,
                let content = try waiting.isEmpty ? stored(state.key) : before
            else { return false }
            return !content.isSame(atServerAs: remote)
        } catch  where error.isAboutOneResource { return false }
    }

    /// Whether what is known as a version has another time than the server gives for it now.
    func hasOtherTime(_ key: SyncKey, than time: Date?, _ version: String) throws -> Bool {
        guard let time else { return false }
        do {
            guard let before = try content(of: version, key, changes(of: key)) else { return false }
            return before.child("meta")?.instant("lastUpdated")?.date != time
        } catch  where error.isAboutOneResource { return false }
    }

    /// A version as the server gave it, from before what waits to be sent; nil if the store does not have it, or not its time.
    private func content(of version: String, _ key: SyncKey, _ waiting: [WaitingChange]) throws -> FHIRResource? {
        let resource = try waiting.first.map { try base($0) } ?? tx.resource(typeName: key.typeName, id: key.id)
        guard let meta = resource?.child("meta"), meta.text("versionId") == version, meta.instant("lastUpdated") != nil else { return nil }
        return resource
    }

    /// Stands in `OutcomeIssue.detailCodes` for a server that has given a version's number to another content.
    static let givenAgain = "version-given-again"

    /// Such a content is a conflict, as the one that is known was lost there and is nowhere else: what it lacks of that, nobody has removed.
    ///
    /// - Returns: false if the policy is that the server's state wins, or if there is nothing to lose.
    func deferGivenAgain(
        _ state: RemoteState, _ remote: FHIRResource, _ scope: Int64?, _ reception: inout Reception
    ) throws -> Bool {
        guard let local = try stored(state.key), !local.isSame(atServerAs: remote) else { return false }
        let text = "the server gives version \(state.version ?? "?") again, with another content"
        let issue = OutcomeIssue(severity: "warning", code: "conflict", detailCodes: [Self.givenAgain], diagnostics: text)
        return try deferUnlessServerWins(state, remote, local, issue, scope, &reception)
    }

    /// Resources with conflicts of servers that went back, as doubts that a read by itself ends.
    func stepsBack() throws -> [Doubt] {
        try changes("state = 2 AND issues LIKE '%\(Self.wentBack)%'", []).filter(\.isStepBack).map { change in
            Doubt(RemoteState(key: change.key, version: nil, resource: nil), isDeletion: try standing(change.key)?.isDeleted == true)
        }
    }

    /// Ends the conflict of a server that went back if it shows what was known before. Edits that were made meanwhile wait to be sent.
    ///
    /// - Returns: whether nothing else is to be done about the state.
    func endStepBack(
        _ state: RemoteState, _ standing: Standing, _ waiting: [WaitingChange], scope: Int64?, _ reception: inout Reception
    ) throws -> Bool {
        let key = state.key
        guard let change = waiting.last(where: \.isStepBack), !waiting.contains(where: \.state.isUndecided) else { return false }
        let local = try stored(key)
        if standing.isDeleted {
            guard state.resource == nil else { return false }
            if local == nil { try removeChanges(of: key) } else { try rebase(key, on: nil) }
        } else {
            guard let remote = state.resource, let version = state.version, version == standing.version else { return false }
            if change.isUntouched || local?.isSame(atServerAs: remote) == true {
                try removeChanges(of: key)
                _ = try tx.store([remote])
                try remember(key, version: version, scope: scope)
            } else if let base = waiting.first?.base {
                try rebase(key, on: base)
            } else {
                try keepLocal(state, scope)
            }
        }
        reception.unchanged += 1
        return true
    }
}

extension WaitingChange {
    private var stepBack: OutcomeIssue? {
        guard state == .conflict, let issues, issues.contains(SyncJournal.wentBack) else { return nil }
        do {
            return try JSONDecoder().decode([OutcomeIssue].self, from: Data(issues.utf8)).first {
                $0.detailCodes == [SyncJournal.wentBack]
            }
        } catch { return nil }
    }

    /// Whether it is a conflict of a server that went back.
    var isStepBack: Bool { stepBack != nil }

    /// Whether nothing was edited before the server went back, or since.
    var isUntouched: Bool { stepBack?.details == "\(sequence)" }
}

extension SyncRun {
    /// The number of resources that a sync reads in vain to see whether a server is still behind.
    private static let stillBehind = 50

    /// The conflicts of a server that went back, of this sync and earlier ones.
    func stepsBack() async throws -> [Doubt] {
        // Nothing is written if there are none.
        let areThere = try await synchronizer.store.read { tx in
            try !tx.rows(
                of: SyncJournal.tables, "SELECT 1 FROM _sync_change WHERE state = 2 AND issues LIKE '%\(SyncJournal.wentBack)%' LIMIT 1"
            ).isEmpty
        }
        return areThere ? try await journal { try $0.stepsBack() } : []
    }

    /// Reads the resources of such conflicts by themselves, as what asked for changes may not show them again: a replica that was behind has caught up.
    mutating func endStepsBack(_ doubts: [Doubt]) async throws {
        guard !doubts.isEmpty else { return }
        let waiting = Set(try await stepsBack().map(\.key))
        var inVain = 0
        for doubt in doubts where waiting.contains(doubt.key) && inVain < Self.stillBehind {
            do { try await readAgain([doubt], scope: nil) } catch let error as FHIRClientError where error.concernsRequest {
                // Servers need not let anybody read one resource: only their searches end the conflict then.
                return
            }
            if try await journal({ try $0.changes(of: doubt.key).contains(where: \.isStepBack) }) { inVain += 1 }
        }
    }

    /// Reads resources by themselves, and takes over what the server shows then. Earlier versions than before that it still shows are conflicts.
    ///
    /// - Parameter scope: the key of the search that found them; nil for none.
    mutating func readAgain(_ doubts: [Doubt], scope: String?) async throws {
        guard !isShared else { return }
        for doubt in doubts where !lockedTypes.contains(doubt.key.typeName) && FHIRRequest.isAddressable(doubt.key.id) {
            guard synchronizer.store.release.hasResourceType(named: doubt.key.typeName) else { continue }
            try Task.checkCancellation()
            let fetching = Fetching(
                scope: scope ?? FetchedScope.key(doubt.key.typeName, depth: 0), replacesScope: scope != nil, notesRefusals: false,
                isConfirmed: true)
            let fetched = try await fetchAlone(doubt.key, fetching)
            guard doubt.isDeletion, !fetched.missing.isEmpty else { continue }
            count(
                try await journal { journal in
                    let state = RemoteState(key: doubt.key, version: doubt.version, resource: nil)
                    return try journal.receive([state], scope: nil, isConfirmed: true)
                })
        }
    }
}

import FireLite
import FireLiteCore

extension SyncJournal {
    /// Finds out from a resource's history what happened to a change that was sent without an answer, and takes over the newest version.
    ///
    /// - Parameter versions: the versions, the newest first; empty if the server has none.
    func settle(_ key: SyncKey, _ versions: [RemoteState]) throws -> Reception {
        try takeIn()
        if let change = try changes(of: key).first, change.isUncertain { try settle(change, versions) }
        let newest = versions.first ?? RemoteState(key: key, version: nil, resource: nil)
        return try receive([newest], scope: nil, isSettled: true)
    }

    /// A content that was sent without an answer.
    private struct SentContent {
        let json: String
        /// Nil of a deletion.
        let resource: FHIRResource?
        /// Whether it is what the store has now.
        let isPresent: Bool

        /// Whether a version has every change that was sent; the server may have added to them.
        ///
        /// - Parameters:
        ///   - base: the state before the change; nil if there was none.
        ///   - address: the server's address.
        func isIn(_ version: RemoteState, base: FHIRResource?, address: String) -> Bool {
            switch (resource, version.resource) {
            case (nil, nil): return true
            case (let sent?, let there?):
                guard !sent.isSame(atServerAs: there) else { return true }
                guard sent.layoutTable == there.layoutTable else { return false }
                let there = there.copy()
                there.keepForms(ofSent: sent, base: address)
                guard !sent.isSame(atServerAs: there) else { return true }
                let merge = ThreeWayMerge(base: base, local: sent, remote: there)
                return merge.conflicts.isEmpty && merge.resource.isSame(atServerAs: there)
            default: return false
            }
        }
    }

    private func sentContents(_ change: WaitingChange) throws -> [SentContent] {
        func content(_ json: String, isPresent: Bool) throws -> SentContent {
            let resource = json.isEmpty ? nil : try change.resource(json, isPresent ? "content" : "earlier", tx.store.release)
            return SentContent(json: json, resource: resource, isPresent: isPresent)
        }
        var contents = try change.earlier.map { try content($0, isPresent: false) }
        if change.isSent {
            let present = change.isEach ? change.content : try stored(change.key).map { FHIRJSON.string($0) }
            contents.append(try content(present ?? "", isPresent: true))
        }
        return contents
    }

    private func settle(_ change: WaitingChange, _ versions: [RemoteState]) throws {
        let known = try self.known(change.key)
        let contents = try sentContents(change)
        let base = try self.base(change)
        for version in versions {
            if let number = version.version, number == known?.version { return }
            guard let sent = contents.last(where: { $0.isIn(version, base: base, address: self.base) }) else { continue }
            if version.resource == nil { try bury(change.key) } else { try remember(change.key, version: version.version, isOwn: true) }
            if sent.isPresent { return try remove(change) }
            return try run(
                "UPDATE _sync_change SET base = ?, sent = 0, earlier = NULL, state = 0 WHERE change = ?",
                [sent.json.isEmpty ? .null : .text(sealing(sent.json, of: change.key)), .integer(change.number)])
        }
    }

    /// Settles a change by the present state at the server alone, if that says enough.
    ///
    /// - Returns: false if only the history can say what happened.
    func settlesAtOnce(_ state: RemoteState, _ reception: inout Reception) throws -> Bool {
        try takeIn()
        guard let change = try changes(of: state.key).first, change.isUncertain else {
            reception.add(try settle(state.key, [state]))
            return true
        }
        // As before: what was sent did not arrive.
        if let version = state.version, try known(state.key)?.version == version { return true }
        let base = try self.base(change)
        guard try sentContents(change).contains(where: { $0.isIn(state, base: base, address: self.base) }) else { return false }
        reception.add(try settle(state.key, [state]))
        return true
    }

    /// Resources with a change that was sent without an answer.
    func unsettled() throws -> [SyncKey] {
        var keys: [SyncKey] = []
        for change in try changes("state = 0 AND (sent IN (1, 2) OR earlier IS NOT NULL)", []) where !keys.contains(change.key) {
            keys.append(change.key)
        }
        return keys
    }
}

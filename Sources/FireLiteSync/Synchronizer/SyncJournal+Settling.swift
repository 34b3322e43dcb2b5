import FireLite
import FireLiteCore

extension SyncJournal {
    /// Finds out from a resource's history what happened to a change that was sent without an answer, and takes over the newest version.
    ///
    /// - Parameter versions: the versions, the newest first; empty if the server has none.
    func settle(_ key: SyncKey, _ versions: [RemoteState]) throws -> Reception {
        if let change = try changes(of: key).first, change.isUncertain { try settle(change, versions) }
        let newest = versions.first ?? RemoteState(key: key, version: nil, resource: nil)
        return try receive([newest], scope: nil, isSettled: true)
    }

    private func settle(_ change: WaitingChange, _ versions: [RemoteState]) throws {
        let known = try self.known(change.key)
        var candidates: [(content: String, isPresent: Bool)] = change.earlier.map { ($0, false) }
        if change.isSent {
            let present = change.isEach ? change.content : try stored(change.key).map { FHIRJSON.string($0) }
            candidates.append((present ?? "", true))
        }
        let contents = try candidates.map { $0.content.isEmpty ? nil : try resource($0.content) }
        for version in versions {
            if let number = version.version, number == known?.version { return }
            for (place, candidate) in candidates.enumerated().reversed() {
                let isSame =
                    switch (contents[place], version.resource) {
                    case (nil, nil): true
                    case (let sent?, let there?): sent.isSame(atServerAs: there)
                    default: false
                    }
                guard isSame else { continue }
                if version.resource == nil {
                    try forget(change.key)
                } else {
                    try remember(change.key, version: version.version, isOwn: true)
                }
                if candidate.isPresent { return try remove(change) }
                return try run(
                    "UPDATE _sync_change SET base = ?, sent = 0, earlier = NULL, state = 0 WHERE change = ?",
                    [candidate.content.isEmpty ? .null : .text(candidate.content), .integer(change.number)])
            }
        }
    }

    /// Resources with a change that was sent without an answer.
    func unsettled() throws -> [SyncKey] {
        var keys: [SyncKey] = []
        for change in try changes("state = 0 AND (sent = 1 OR earlier IS NOT NULL)", []) where !keys.contains(change.key) {
            keys.append(change.key)
        }
        return keys
    }
}

import FireLite
import FireLiteCore
import Foundation

/// A resource from a server that cannot be read, so the store lacks that version.
public struct UnreadableResource: Sendable, Hashable {
    /// The resource's type; nil if its text does not say.
    public let typeName: String?
    /// The resource's id; nil if its text does not say.
    public let id: String?
    /// The server's version; nil if its text does not say.
    public let version: String?
    /// Why it cannot be read: the place and what was expected there, without values.
    public let reason: String
    /// The text that the server sent.
    public let text: String
}

extension SyncJournal {
    /// Whether anything that cannot be read is kept.
    var hasUnreadable: Bool {
        get throws { try !rows("SELECT 1 FROM _sync_unreadable WHERE server = ? LIMIT 1", [.integer(server)]).isEmpty }
    }

    /// Keeps what cannot be read, instead of earlier versions of it.
    ///
    /// - Returns: the number of those that were not kept before.
    func keep(_ unreadable: [UnreadableEntry]) throws -> Int {
        var count = 0
        for entry in unreadable {
            let isNew = try keep(
                UnreadableResource(typeName: entry.typeName, id: entry.id, version: entry.version, reason: entry.reason, text: entry.text))
            if isNew { count += 1 }
        }
        return count
    }

    /// Keeps resources whose entries have the addresses of others. The next pull forgets them, as those were read again.
    ///
    /// - Returns: the number of those that were not kept before.
    func keep(_ misnamed: [MisnamedEntry]) throws -> Int {
        try misnamed.count { entry in
            try keep(
                UnreadableResource(
                    typeName: entry.key.typeName, id: entry.key.id, version: entry.version, reason: MisnamedEntry.reason, text: entry.text))
        }
    }

    /// Keeps a resource whose id is none.
    ///
    /// - Returns: 1 if it was not kept before, or else 0.
    func keepMisnamed(_ resource: FHIRResource) throws -> Int {
        let isNew = try keep(
            UnreadableResource(
                typeName: resource.resourceType, id: resource.id, version: resource.child("meta")?.text("versionId"),
                reason: "its id is not one of FHIR", text: FHIRJSON.string(resource)))
        return isNew ? 1 : 0
    }

    private func keep(_ entry: UnreadableResource) throws -> Bool {
        let place: [SQLValue] = [.integer(server), .optional(entry.typeName), .optional(entry.id)]
        let own = "server = ? AND type IS ? AND id IS ?"
        let kept = try rows("SELECT text FROM _sync_unreadable WHERE \(own)", place).map { row in
            try isOpenable ? opened(row[0].text ?? "") : row[0].text ?? ""
        }
        guard !kept.contains(entry.text) else { return false }
        if entry.id != nil { try run("DELETE FROM _sync_unreadable WHERE \(own)", place) }
        try run(
            "INSERT INTO _sync_unreadable(server, type, id, version, text, reason) VALUES (?, ?, ?, ?, ?, ?)",
            place + [.optional(entry.version), .text(sealing(entry.text, ofType: entry.typeName)), .text(entry.reason)])
        return true
    }

    /// Whether a version is one that cannot be read.
    func isUnreadable(_ key: SyncKey, version: String?) throws -> Bool {
        try !rows(
            "SELECT 1 FROM _sync_unreadable WHERE server = ? AND type IS ? AND id IS ? AND version IS ?",
            [.integer(server), .text(key.typeName), .text(key.id), .optional(version)]
        ).isEmpty
    }

    /// Forgets what could not be read of a resource: it has a newer version, or was deleted.
    func removeUnreadable(_ key: SyncKey) throws {
        try run(
            "DELETE FROM _sync_unreadable WHERE server = ? AND type IS ? AND id IS ?",
            [.integer(server), .text(key.typeName), .text(key.id)])
    }

    /// What cannot be read, in the order in which it came.
    func unreadable(limit: Int?) throws -> [(number: Int64, resource: UnreadableResource)] {
        try rows(
            "SELECT unreadable, type, id, version, reason, text FROM _sync_unreadable WHERE server = ? ORDER BY unreadable"
                + (limit.map { " LIMIT \(max($0, 0))" } ?? ""), [.integer(server)]
        ).map { row in
            // Without a key it stays as it is.
            let text = try isOpenable ? opened(row[5].text ?? "") : row[5].text ?? ""
            return (
                row[0].integer ?? 0,
                UnreadableResource(typeName: row[1].text, id: row[2].text, version: row[3].text, reason: row[4].text ?? "", text: text)
            )
        }
    }

    /// Takes over what can be read by now: by a newer library, or by one that reads leniently.
    ///
    /// - Parameter read: reads a resource.
    func retryUnreadable(_ read: (Data) throws -> FHIRResource) throws -> Reception {
        var states: [RemoteState] = []
        for (number, unreadable) in try self.unreadable(limit: nil) where !unreadable.text.hasPrefix(ContentSealing.textStart) {
            let resource: FHIRResource
            do { resource = try read(Data(unreadable.text.utf8)) } catch is FHIRClientError { continue }
            guard let id = resource.id ?? unreadable.id else { continue }
            try run("DELETE FROM _sync_unreadable WHERE unreadable = ?", [.integer(number)])
            // One that can be read was an error of that answer: what is at its address was read again.
            guard resource.id == id, unreadable.id == nil || unreadable.id == id, FHIRRequest.isAddressable(id),
                unreadable.typeName == nil || unreadable.typeName == resource.resourceType
            else { continue }
            let key = SyncKey(typeName: resource.resourceType, id: id)
            states.append(RemoteState(key: key, version: resource.child("meta")?.text("versionId"), resource: resource))
        }
        return try receive(states, scope: nil)
    }
}

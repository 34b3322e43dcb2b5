import FireLite
import FireLiteCore
import Foundation

/// How a server wants changes.
struct PushForm: Sendable {
    var updateFormat = Synchronizer.Configuration.UpdateFormat.whole
    var newIDs = Synchronizer.Configuration.NewIDs.client
    /// Whether what depends on a change is sent after it and not together with it.
    var separatesDependents = false
    var release: FHIRRelease
}

/// The changes that are sent next.
struct NextPush: Sendable {
    var bundle = PushBundle(components: [])
    /// Resources whose version at the server is not known, so that they cannot be changed there safely.
    var withoutVersion: [SyncKey] = []
}

extension SyncJournal {
    /// Takes in new changes and returns those that are sent next, marked as sent: an answer that gets lost leaves the mark.
    ///
    /// - Parameters:
    ///   - skipped: the numbers of changes that wait for the next sync.
    ///   - limit: the maximum number of changes.
    func nextPush(skipping skipped: Set<Int64>, limit: Int, _ form: PushForm) throws -> NextPush {
        try takeIn()
        var plan = PushPlan(self, skipped, limit, form)
        try plan.load()
        let push = plan.next()
        try mark(push.bundle.entries)
        return push
    }

    private static let markAll =
        "UPDATE _sync_change SET sent = 1 WHERE change IN (\(Array(repeating: "?", count: 50).joined(separator: ", ")))"

    /// Marks changes as sent without an answer.
    func mark(_ entries: [PushEntry]) throws {
        let numbers = entries.map { SQLValue.integer($0.number) }
        for start in stride(from: 0, to: numbers.count, by: 50) {
            // A shorter list is filled up, so that the statement is the same.
            let part = Array(numbers[start..<min(start + 50, numbers.count)])
            try run(Self.markAll, part + Array(repeating: .null, count: 50 - part.count))
        }
    }

    /// Marks those changes as sent that are as they were when their entries were made, and returns these.
    func markUnchanged(_ bundle: PushBundle) throws -> PushBundle {
        try takeIn()
        let components = try bundle.components.filter { component in
            try component.allSatisfy { entry in
                try !rows(
                    "SELECT 1 FROM _sync_change WHERE change = ? AND seq = ? AND state = 0",
                    [.integer(entry.number), .integer(entry.sequence)]
                ).isEmpty
            }
        }
        let unchanged = PushBundle(components: components)
        try mark(unchanged.entries)
        return unchanged
    }

    /// Takes back the marks of changes that the server has certainly not made. Those of earlier attempts stay.
    func unmark(_ entries: [PushEntry]) throws {
        for entry in entries where !entry.wasSent {
            try run(
                "UPDATE _sync_change SET sent = 0 WHERE change = ? AND seq = ?", [.integer(entry.number), .integer(entry.sequence)])
        }
    }

    /// Notes that the server has made a change.
    ///
    /// - Parameters:
    ///   - id: the id that the server gave a new resource.
    ///   - version: the new version; nil if the server did not say.
    func noteSuccess(_ entry: PushEntry, id: String?, version: String?) throws {
        var key = entry.key
        if let id, entry.kind == .create, id != key.id {
            try rename(key, to: id)
            key = SyncKey(typeName: key.typeName, id: id)
        }
        if entry.kind == .delete { try forget(key) } else { try remember(key, version: version, isOwn: true) }
        let isAsSent = try rows("SELECT seq FROM _sync_change WHERE change = ?", [.integer(entry.number)]).first?[0].integer
        guard let isAsSent else { return }
        if isAsSent == entry.sequence {
            try run("DELETE FROM _sync_change WHERE change = ?", [.integer(entry.number)])
            return
        }
        // Changed again meanwhile: that is based on what was sent.
        try run(
            "UPDATE _sync_change SET base = ?, sent = 0, earlier = NULL, state = 0 WHERE change = ?",
            [.optional(entry.content), .integer(entry.number)])
    }

    /// Gives a resource the server's id, in every reference of the store and of changes that wait.
    private func rename(_ key: SyncKey, to id: String) throws {
        let new = SyncKey(typeName: key.typeName, id: id)
        guard try tx.resource(typeName: new.typeName, id: new.id) == nil else {
            // The server has found a resource that the store has too.
            _ = try tx.delete(typeName: key.typeName, id: key.id)
            return try rewriteReferences(key, new)
        }
        if let resource = try tx.resource(typeName: key.typeName, id: key.id) {
            resource.id = id
            try tx.saveChanges()
        }
        try rewriteReferences(key, new)
    }

    private func rewriteReferences(_ old: SyncKey, _ new: SyncKey) throws {
        try run(
            "UPDATE _sync_change SET id = ? WHERE server = ? AND type = ? AND id = ?",
            [.text(new.id), .integer(server), .text(old.typeName), .text(old.id)])
        for column in ["base", "content"] {
            try run(
                "UPDATE _sync_change SET \(column) = replace(\(column), ?, ?) WHERE server = ? AND instr(\(column), ?) > 0",
                [
                    .text("\"reference\":\"\(old.path)\""), .text("\"reference\":\"\(new.path)\""), .integer(server),
                    .text("\"reference\":\"\(old.path)\""),
                ])
        }
        try tx.rewriteReferences(from: old.path, to: new.path)
    }
}

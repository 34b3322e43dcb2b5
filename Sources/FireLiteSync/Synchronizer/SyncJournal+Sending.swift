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
    /// Resources of which it is not known what the server has, so that they cannot be changed there safely.
    var withoutVersion: [SyncKey] = []
    /// The number of changes that cannot be sent at all.
    var newlyParked = 0
    /// Resources with changes that cannot be sent, as they cannot be read here.
    var newlyDamaged: [SyncKey] = []
}

extension SyncJournal {
    /// Takes in new changes and returns those that are sent next, marked as sent: an answer that gets lost leaves the mark.
    ///
    /// - Parameters:
    ///   - skipped: the numbers of changes that wait for the next sync.
    ///   - damaged: resources that cannot be read here.
    ///   - limit: the maximum number of changes.
    func nextPush(skipping skipped: Set<Int64>, _ damaged: Set<SyncKey>, limit: Int, _ form: PushForm) throws -> NextPush {
        try takeIn()
        var plan = PushPlan(self, skipped: skipped, damaged: damaged, limit: limit, form: form)
        try plan.load()
        let push = try plan.next()
        try mark(push.bundle.entries)
        return push
    }

    /// The number of rows that one statement reads, marks, adds or deletes, as a statement costs more than a row.
    private static let rowsTogether = 50
    private static let areListed = "change IN (\(Array(repeating: "?", count: rowsTogether).joined(separator: ", ")))"
    private static let markAll = "UPDATE _sync_change SET sent = 1 WHERE \(areListed)"
    private static let deleteAll = "DELETE FROM _sync_change WHERE \(areListed)"
    private static let sequences = "SELECT change, seq FROM _sync_change WHERE \(areListed)"
    private static let rememberAll =
        "INSERT OR IGNORE INTO _sync_resource(server, type, id, version, own) VALUES "
        + Array(repeating: "(?1, ?, ?, ?, 1)", count: rowsTogether).joined(separator: ", ")

    /// The numbers of changes, in lists for the statements above. A shorter list is filled up, so that the statement is the same.
    private func lists(_ numbers: [Int64]) -> [[SQLValue]] {
        stride(from: 0, to: numbers.count, by: Self.rowsTogether).map { start in
            let part = numbers[start..<min(start + Self.rowsTogether, numbers.count)].map { SQLValue.integer($0) }
            return part + Array(repeating: .null, count: Self.rowsTogether - part.count)
        }
    }

    /// Marks changes as sent without an answer.
    func mark(_ entries: [PushEntry]) throws { for list in lists(entries.map(\.number)) { try run(Self.markAll, list) } }

    /// Marks those changes as sent that are as they were when their entries were made, and returns these. What refers to a new resource that the server has
    /// not got, as it was edited or refused meanwhile, waits with it.
    ///
    /// - Parameter bundle: a part of what was planned, in the order of the plan.
    func markUnchanged(_ bundle: PushBundle) throws -> PushBundle {
        try takeIn()
        var unchanged = PushBundle(components: [])
        var included: Set<SyncKey> = []
        for component in bundle.components {
            let isAsItWas = try component.allSatisfy { entry in
                try !rows(
                    "SELECT 1 FROM _sync_change WHERE change = ? AND seq = ? AND state = 0",
                    [.integer(entry.number), .integer(entry.sequence)]
                ).isEmpty
            }
            let keys = included.union(component.map(\.key))
            guard isAsItWas, try !component.contains(where: { try refersToUnsent($0, besides: keys) }) else { continue }
            unchanged.components.append(component)
            included = keys
        }
        try mark(unchanged.entries)
        return unchanged
    }

    /// Whether an entry refers to a resource that is new and waits, besides some.
    private func refersToUnsent(_ entry: PushEntry, besides keys: Set<SyncKey>) throws -> Bool {
        guard let content = entry.content else { return false }
        return try ReferenceScan.keys(in: String(decoding: content, as: UTF8.self), base: base).contains { target in
            try !keys.contains(target) && known(target) == nil && !changes(of: target).isEmpty
        }
    }

    /// Stands in `OutcomeIssue.detailCodes` for a change of a resource that the server has shown without a version.
    static let givesNoVersion = "server-gives-no-version"

    /// Notes why changes are not sent: the server gives no version of their resources even if each is read by itself.
    func noteWithoutVersion(_ keys: [SyncKey]) throws {
        let issue = OutcomeIssue(
            severity: "warning", code: "not-supported", detailCodes: [Self.givesNoVersion],
            diagnostics: "the server gives no versions, so changes of what it has cannot be sent safely")
        for key in keys {
            guard let known = try known(key), known.version == nil else { continue }
            try run(
                "UPDATE _sync_change SET issues = ? WHERE server = ? AND type = ? AND id = ? AND state = 0",
                [
                    .text(String(decoding: try JSONEncoder().encode([issue]), as: UTF8.self)), .integer(server), .text(key.typeName),
                    .text(key.id),
                ])
        }
    }

    /// Notes that an answer has said that changes were made, and has not shown it.
    func noteAnswer(to entries: [PushEntry]) throws {
        for entry in entries {
            try run(
                "UPDATE _sync_change SET sent = 2 WHERE change = ? AND seq = ? AND sent = 1",
                [.integer(entry.number), .integer(entry.sequence)])
        }
    }

    /// Takes back the marks of changes that the server has certainly not made. Those of earlier attempts stay.
    func unmark(_ entries: [PushEntry]) throws {
        for entry in entries where !entry.wasSent {
            try run(
                "UPDATE _sync_change SET sent = 0 WHERE change = ? AND seq = ?", [.integer(entry.number), .integer(entry.sequence)])
        }
    }

    /// A change that the server has made.
    struct Success: Sendable {
        let entry: PushEntry
        /// The id that the server gave a new resource.
        let id: String?
        /// The new version; nil if the server did not say.
        let version: String?
        /// The resource as the server has it, as JSON; nil if it was not returned.
        var resource: Data?

        /// The resource's key at the server, if it is another than in the store.
        var newKey: SyncKey? {
            guard let id, entry.kind == .create, id != entry.key.id else { return nil }
            return SyncKey(typeName: entry.key.typeName, id: id)
        }
    }

    /// Notes that the server has made changes, and takes over what it has added.
    ///
    /// - Parameter read: reads a resource of the server.
    /// - Returns: the number of resources of which the server has not kept everything.
    func note(_ successes: [Success], read: (Data) throws -> FHIRResource) throws -> Int {
        if !successes.isEmpty { try acknowledgeServer() }
        // What was edited meanwhile is newer than what comes back.
        try takeIn()
        var sequences: [Int64: Int64] = [:]
        for list in lists(successes.map(\.entry.number)) {
            for row in try rows(Self.sequences, list) { sequences[row[0].integer ?? 0] = row[1].integer ?? 0 }
        }
        var (done, new): ([Int64], [Success]) = ([], [])
        for success in successes {
            let entry = success.entry
            switch entry.kind {
            case .create where success.newKey == nil: new.append(success)
            case .create, .update: try remember(success.newKey ?? entry.key, version: success.version, isOwn: true)
            case .delete: try bury(entry.key)
            }
            guard let sequence = sequences[entry.number] else { continue }
            if sequence == entry.sequence {
                done.append(entry.number)
                continue
            }
            // Changed again meanwhile: that is based on what was sent.
            try run(
                "UPDATE _sync_change SET base = ?, sent = 0, earlier = NULL, state = 0 WHERE change = ?",
                [
                    .optional(entry.content.map { try sealing(String(decoding: $0, as: UTF8.self), of: entry.key) }),
                    .integer(entry.number),
                ])
        }
        try remember(new)
        for list in lists(done) { try run(Self.deleteAll, list) }
        for success in successes { if let key = success.newKey { try rename(success.entry.key, to: key.id) } }
        var states: [RemoteState] = []
        for success in successes {
            guard let json = success.resource, let version = success.version else { continue }
            let resource: FHIRResource
            // What cannot be read is read with the next pull, which lists it.
            do { resource = try read(json) } catch is FHIRClientError { continue }
            states.append(RemoteState(key: success.newKey ?? success.entry.key, version: version, resource: resource))
        }
        return states.isEmpty ? 0 : try receive(states, scope: nil).deferred
    }

    /// Remembers the versions of new resources.
    private func remember(_ new: [Success]) throws {
        var rest = new[...]
        while rest.count >= Self.rowsTogether {
            var values: [SQLValue] = [.integer(server)]
            for success in rest.prefix(Self.rowsTogether) {
                values += [.text(success.entry.key.typeName), .text(success.entry.key.id), .optional(success.version)]
            }
            // Something may be known of one of them: then each is looked up.
            let count = try tx.run(on: Self.tables, Self.rememberAll, values)
            tally.count(Self.rememberAll, count)
            guard count == Self.rowsTogether else { break }
            rest = rest.dropFirst(Self.rowsTogether)
        }
        for success in rest { try remember(success.entry.key, version: success.version, isOwn: true) }
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
            let found = try rows(
                "SELECT change, \(column) FROM _sync_change WHERE server = ? AND instr(\(column), ?) > 0",
                [.integer(server), .text(old.path)])
            for row in found {
                guard let text = row[1].text else { continue }
                let changed = ReferenceScan.replacing([old: new.path], in: text, base: base)
                guard changed != text else { continue }
                try run("UPDATE _sync_change SET \(column) = ? WHERE change = ?", [.text(changed), .integer(row[0].integer ?? 0)])
            }
        }
        try tx.rewriteReferences(to: old.typeName, id: old.id, newID: new.id, bases: [base])
    }
}

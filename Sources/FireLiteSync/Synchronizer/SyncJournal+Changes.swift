import FireLite
import FireLiteCore
import Foundation

/// A change that waits to be sent.
struct WaitingChange {
    /// Why a change waits.
    enum State: Int64 {
        case waiting = 0
        case parked = 1
        case conflict = 2
        /// The server has the resource, the store lacks it, and nothing says that it was deleted here.
        case undecided = 3
        /// The same, once somebody has decided that it is read from the server again.
        case wanted = 4
        /// The row has no state that this version knows. It is neither sent nor replaced.
        case unknown = -1

        /// Whether it is not known what the user wants, so that neither side may change the other.
        var isUndecided: Bool { self == .undecided || self == .wanted || self == .unknown }
    }

    /// Selects what `State.isUndecided` says.
    static let areUndecided = "coalesce(state, -1) NOT IN (0, 1, 2)"

    let number: Int64
    let key: SyncKey
    /// The number of the last entry of the change log in it.
    let sequence: Int64
    /// The state before it, as JSON; nil if there was none.
    let base: String?
    /// Whether there was a state before it whose whole content nobody kept, as it is sealed.
    let hasUnknownBase: Bool
    /// The state after it as JSON, if each version is sent; nil of a deletion.
    let content: String?
    /// Whether `content` is what is sent, and not the store's present state.
    let isEach: Bool
    /// Whether its present content was sent without an answer that shows what became of it.
    let isSent: Bool
    /// Whether there was an answer, which said that it was done.
    let isAnswered: Bool
    /// Contents that were sent before without an answer; empty texts are deletions.
    let earlier: [String]
    let state: State
    let attempts: Int64
    let status: Int64?
    let issues: String?
    let remote: String?
    let remoteVersion: String?

    /// Whether the server may have done something that is not known here.
    var isUncertain: Bool { isSent || !earlier.isEmpty }

    private static let names = [
        "change", "type", "id", "seq", "base", "content", "isEach", "sent", "earlier", "state", "attempts", "status", "issues", "remote",
        "remoteVersion",
    ]
    static let columns = names.joined(separator: ", ")
    /// The columns in a statement that calls the table `c`.
    static let qualifiedColumns = names.map { "c.\($0)" }.joined(separator: ", ")
    static let columnCount = names.count

    /// - Parameter open: opens a text that is kept sealed.
    init(_ row: SQLRow, opening open: (String) throws -> String) throws {
        func text(_ column: Int) throws -> String? {
            guard let text = row[column].text, text.hasPrefix(ContentSealing.textStart) else { return row[column].text }
            return text == Self.unknown ? nil : try open(text)
        }
        number = row[0].integer ?? 0
        key = SyncKey(typeName: row[1].text ?? "", id: row[2].text ?? "")
        sequence = row[3].integer ?? 0
        base = try text(4)
        hasUnknownBase = row[4].text == Self.unknown
        content = try text(5)
        isEach = row[6].integer == 1
        isSent = [1, 2].contains(row[7].integer)
        isAnswered = row[7].integer == 2
        earlier = Self.texts(row[8].text).filter { $0 != Self.unknown }
        state = row[9].integer.flatMap { State(rawValue: $0) } ?? .unknown
        attempts = row[10].integer ?? 0
        status = row[11].integer
        issues = row[12].text
        remote = try text(13)
        remoteVersion = row[14].text
    }

    /// Stands for a content that is sealed, of which the log has only what is in the clear.
    static let unknown = ContentSealing.textStart

    private static func texts(_ json: String?) -> [String] {
        guard let json else { return [] }
        do { return try JSONDecoder().decode([String].self, from: Data(json.utf8)) } catch { return [] }
    }

    static func json(_ texts: [String]) throws -> SQLValue {
        texts.isEmpty ? .null : .text(String(decoding: try JSONEncoder().encode(texts), as: UTF8.self))
    }
}

extension SyncJournal {
    // MARK: - Reading

    func changes(_ condition: String, _ arguments: [SQLValue], limit: Int? = nil) throws -> [WaitingChange] {
        try rows(
            "SELECT \(WaitingChange.columns) FROM _sync_change WHERE server = ? AND \(condition) ORDER BY change"
                + (limit.map { " LIMIT \($0)" } ?? ""), [.integer(server)] + arguments
        ).map { try WaitingChange($0, opening: open) }
    }

    /// The changes of resources that are sealed, if no key is set: what is in the clear of one would replace the whole resource at the server.
    func lockedChanges() throws -> Set<Int64> {
        let types = try tx.lockedTypes()
        guard !types.isEmpty else { return [] }
        let rows = try rows("SELECT change, type FROM _sync_change WHERE server = ? AND state = 0", [.integer(server)])
        return Set(rows.filter { types.contains($0[1].text ?? "") }.compactMap { $0[0].integer })
    }

    func changes(of key: SyncKey) throws -> [WaitingChange] {
        try changes("type = ? AND id = ?", [.text(key.typeName), .text(key.id)])
    }

    /// The number of changes that wait to be sent.
    var waitingCount: Int64 {
        get throws {
            try rows("SELECT count(*) FROM _sync_change WHERE server = ? AND state = 0", [.integer(server)]).first?[0].integer ?? 0
        }
    }

    /// The next changes that can be sent, each with what is known of its resource at the server.
    func waiting(after change: Int64, limit: Int) throws -> [(change: WaitingChange, known: Known?)] {
        try rows(Self.waitingChanges, [.integer(server), .integer(change), .integer(Int64(limit))]).map { row in
            let place = WaitingChange.columnCount
            let own = row[place + 1].integer
            return (try WaitingChange(row, opening: open), own.flatMap { Known(version: row[place].text, own: $0) })
        }
    }

    private static let waitingChanges = """
        SELECT \(WaitingChange.qualifiedColumns), r.version, CASE WHEN r.resource IS NULL OR typeof(r.own) = 'integer' THEN r.own ELSE 0 END
        FROM _sync_change c
        LEFT JOIN _sync_resource r ON r.server = c.server AND r.type = c.type AND r.id = c.id
        WHERE c.server = ? AND c.state = 0 AND c.change > ? ORDER BY c.change LIMIT ?
        """

    // MARK: - The change log

    /// Lets references under the server's base address be the store's own, once it has answered a pull or a push as a FHIR server does. Before that
    /// anybody may be at the address, and what is the store's own decides what its permissions cover.
    func acknowledgeServer() throws { try tx.addBase(base) }

    /// Begins with a store: switches the change log on, and takes what is stored already for changes.
    func begin() throws {
        if try tx.tracked(.changes).isEmpty { try tx.track(.changes, types: nil) }
        // Before anything is taken in, so that the log keeps it until it was sent.
        _ = try tx.registerReader(sentReader, atStart: true)
        let started = try rows("SELECT started FROM _sync_server WHERE server = ?", [.integer(server)]).first?[0].integer == 1
        let place = try tx.place(ofReader: reader)
        if try findsLoss(isStarted: started) {
            try tx.saveChanges()
            _ = try tx.registerReader(reader)
            try beginComparing(after: place)
            try tx.skipToNewest(reader)
            return try run("UPDATE _sync_server SET started = 1 WHERE server = ?", [.integer(server)])
        }
        if !started || place == nil {
            try tx.saveChanges()
            _ = try tx.registerReader(reader)
            try tx.skipToNewest(reader)
            try takeAll(isGap: started)
            try run("UPDATE _sync_server SET started = 1 WHERE server = ?", [.integer(server)])
            return
        }
        try takeIn()
    }

    /// Lets the log forget what was sent, once nothing waits. What is refused or in conflict is in the list, and does not keep the log.
    func noteSent() throws {
        guard let sent = try tx.place(ofReader: sentReader), let taken = try tx.place(ofReader: reader), taken > sent,
            try changes("state = 0", [], limit: 1).isEmpty
        else { return }
        try tx.acknowledge(sentReader, through: taken)
    }

    /// Moves what the change log has into the list of changes to send.
    func takeIn() throws {
        guard let place = try tx.place(ofReader: reader) else { return }
        let newest = try tx.newestChange()
        // A place beyond the newest change is one of another log: the numbers were given again.
        guard newest != place else { return }
        // What was deleted here may be at the server although no row says so.
        if try findsLoss(isStarted: true) { tally.isDoubtful = true }
        do {
            // Only versions that are sent one by one are kept here; of the others the store's present state is sent.
            let changes =
                try configuration.sendsEachVersion
                ? tx.changes(since: place, squashed: false) : tx.changedResources(since: place)
            var intake = try Intake(isEmpty: self.changes("1", [], limit: 1).isEmpty)
            for change in changes { try note(change, &intake) }
            try write(&intake)
            if changes.through > place { try tx.acknowledge(reader, through: changes.through) }
        } catch let error as FHIRStoreError where error.code == .resyncRequired {
            try takeAll(isGap: true)
            try tx.skipToNewest(reader)
        }
    }

    /// What of the change log was taken into the list, if that was empty before.
    private struct Intake {
        let isEmpty: Bool
        private var keys: Set<SyncKey> = []
        /// New resources that are not written yet.
        var additions: [(key: SyncKey, sequence: Int64)] = []

        init(isEmpty: Bool) { self.isEmpty = isEmpty }

        /// Notes a resource.
        ///
        /// - Returns: whether the list may have changes of it.
        mutating func insert(_ key: SyncKey) -> Bool { !isEmpty || !keys.insert(key).inserted }
    }

    private func note(_ change: LoggedChange, _ intake: inout Intake) throws {
        guard let id = try change.resourceID ?? assignID(change.pk) else { return }
        let isDeletion = change.kind == .deleted
        let key = SyncKey(typeName: change.typeName, id: id)
        // The log keeps no payloads for long.
        let current = try change.current.map(whole)
        let base: String?
        do { base = try change.base.map(whole) } catch let error as any ResourceFault where error.concernsOneResource {
            // A payload of it is lost: nobody knows what the server had before.
            base = WaitingChange.unknown
        }
        if let base, let old = Self.id(inJSON: base), old != id {
            // The app has given the resource another id: at the server that is a deletion and a new resource.
            try note(SyncKey(typeName: change.typeName, id: old), change.sequence, base: base, content: nil, isDeletion: true, &intake)
            return try note(key, change.sequence, base: nil, content: current, isDeletion: isDeletion, &intake)
        }
        try note(key, change.sequence, base: base, content: current, isDeletion: isDeletion, &intake)
    }

    private func note(
        _ key: SyncKey, _ sequence: Int64, base: String?, content: String?, isDeletion: Bool, _ intake: inout Intake
    ) throws {
        let isSealed = isDeletion ? false : try tx.isSealed(key.typeName, id: key.id)
        let base = isSealed ? base.map { _ in WaitingChange.unknown } : base
        let mayHaveRows = intake.insert(key)
        if !mayHaveRows, base == nil, !isDeletion, !configuration.sendsEachVersion {
            intake.additions.append((key, sequence))
            if intake.additions.count == Self.additionsTogether { try write(&intake) }
            return
        }
        // In the order of the log, and seen by the next statement.
        try write(&intake)
        var rows = mayHaveRows ? try changes(of: key) : []
        if configuration.sendsEachVersion {
            // The log says now what was done here.
            for row in rows where row.state == .undecided || row.state == .wanted { try remove(row) }
            rows.removeAll { $0.state == .undecided || $0.state == .wanted }
        }
        guard let row = rows.last, !configuration.sendsEachVersion else {
            if rows.isEmpty, isDeletion, !isLost, !tally.isDoubtful, try known(key) == nil { return }
            return try insert(key, sequence, base: base, content: configuration.sendsEachVersion && !isSealed ? content : nil, isSealed)
        }
        let earlier = row.isSent ? row.earlier + [base ?? ""] : row.earlier
        if isDeletion, earlier.isEmpty, row.state != .conflict, try known(key) == nil { return try remove(row) }
        // An edit may have removed what the server has refused, and the log says what was done to a resource that was missing.
        let state = [.parked, .undecided, .wanted].contains(row.state) ? WaitingChange.State.waiting : row.state
        try run(
            "UPDATE _sync_change SET seq = ?, sent = 0, earlier = ?, state = ?, isEach = 0 WHERE change = ?",
            [.integer(sequence), try WaitingChange.json(earlier), .integer(state.rawValue), .integer(row.number)])
    }

    /// - Parameter isSealed: whether the log has not all of its versions, so that only the newest can be sent.
    func insert(_ key: SyncKey, _ sequence: Int64, base: String?, content: String?, _ isSealed: Bool = false) throws {
        try run(
            """
            INSERT INTO _sync_change(server, type, id, seq, base, content, isEach, sent, state, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
            """,
            [
                .integer(server), .text(key.typeName), .text(key.id), .integer(sequence), .optional(base), .optional(content),
                .integer(configuration.sendsEachVersion && !isSealed ? 1 : 0),
            ])
    }

    /// The number of additions that one statement writes, as a statement costs more than a row.
    private static let additionsTogether = 32

    private static let insertAdditions =
        "INSERT OR FAIL INTO _sync_change(server, type, id, seq, isEach, sent, state, attempts) VALUES "
        + Array(repeating: "(?1, ?, ?, ?, 0, 0, 0, 0)", count: additionsTogether).joined(separator: ", ")

    private func write(_ intake: inout Intake) throws {
        let additions = intake.additions
        intake.additions.removeAll(keepingCapacity: true)
        guard additions.count == Self.additionsTogether else {
            for addition in additions { try insert(addition.key, addition.sequence, base: nil, content: nil) }
            return
        }
        var values: [SQLValue] = [.integer(server)]
        for (key, sequence) in additions { values += [.text(key.typeName), .text(key.id), .integer(sequence)] }
        try run(Self.insertAdditions, values)
    }

    /// Takes everything that is stored for changes. What is known but no longer stored becomes undecided: without the log nothing proves that it was
    /// deleted here.
    ///
    /// - Parameter isGap: whether the log has lost what happened since the last look, so that changes in the list may have lost their resources.
    func takeAll(isGap: Bool) throws {
        let sequence = try tx.newestChange()
        for type in try tx.counts() {
            var without: [String] = []
            func take(_ resource: FHIRResource) throws {
                guard let id = resource.id else { return without.append(resource.pk) }
                let key = SyncKey(typeName: type.typeName, id: id)
                if try changes(of: key).isEmpty {
                    let isSealed = try tx.isSealed(key.typeName, id: id)
                    try insert(
                        key, sequence, base: nil,
                        content: configuration.sendsEachVersion && !isSealed ? FHIRJSON.string(tx.whole(resource)) : nil, isSealed)
                }
            }
            do { try tx.forEach(typeName: type.typeName) { try take($0) } } catch  where error.isAboutOneResource {
                without = []
                try tx.forEach(typeName: type.typeName) { damaged in
                    // It waits, too, and is listed when it cannot be sent.
                    guard let id = damaged.id else { throw Self.unnamed(type.typeName, damaged) }
                    let key = SyncKey(typeName: type.typeName, id: id)
                    if try changes(of: key).isEmpty { try insert(key, sequence, base: nil, content: nil, true) }
                } _: {
                    try take($0)
                }
            }
            for pk in without {
                guard let id = try assignID(pk) else { continue }
                let resource = configuration.sendsEachVersion ? try tx.resource(typeName: type.typeName, id: id) : nil
                try insert(
                    SyncKey(typeName: type.typeName, id: id), sequence, base: nil,
                    content: resource.map { try FHIRJSON.string(tx.whole($0)) })
            }
        }
        for row in try rows("SELECT type, id FROM _sync_resource WHERE server = ? AND own NOT IN (2, 3)", [.integer(server)]) {
            let key = SyncKey(typeName: row[0].text ?? "", id: row[1].text ?? "")
            guard isType(key.typeName), try tx.registered(key.typeName, id: key.id) == nil, try changes(of: key).isEmpty else { continue }
            try insert(key, sequence, base: nil, content: nil)
            try run(
                "UPDATE _sync_change SET state = 3, isEach = 0 WHERE server = ? AND type = ? AND id = ?",
                [.integer(server), .text(key.typeName), .text(key.id)])
        }
        guard isGap else { return }
        // What would be sent is the state of a resource, and a missing one would be a deletion.
        for change in try changes("state = 0 AND isEach = 0 AND sent = 0 AND earlier IS NULL", []) {
            let key = change.key
            guard isType(key.typeName), try known(key) != nil, try tx.registered(key.typeName, id: key.id) == nil else { continue }
            try run("UPDATE _sync_change SET state = 3 WHERE change = ?", [.integer(change.number)])
        }
    }

    /// The error for a resource whose id is lost with its content, so that nothing can be listed as not sent.
    private static func unnamed(_ typeName: String, _ damaged: FireLite.UnreadableResource) -> FHIRStoreError {
        FHIRStoreError(
            .notAStore,
            "the \(typeName) with the number \(damaged.number) cannot be read, nor can its id (\(damaged.reason)): restore a backup")
    }

    /// The number of resources that the server has and the store lacks, and of which nobody knows whether they were deleted here.
    var undecidedCount: Int {
        get throws {
            Int(
                try rows("SELECT count(*) FROM _sync_change WHERE server = ? AND \(WaitingChange.areUndecided)", [.integer(server)])
                    .first?[0].integer ?? 0)
        }
    }

    /// Gives a resource without an id one: its pk.
    private func assignID(_ pk: String) throws -> String? {
        guard let resource = try tx.resource(pk: pk) else { return nil }
        let id = try tx.withAssignedIDs(resource).id
        resource.id = id
        try tx.saveChanges()
        return id
    }

    /// The id in JSON that the library wrote, which begins with type and id.
    private static func id(inJSON text: String) -> String? {
        guard let start = text.range(of: "\",\"id\":\"")?.upperBound, text.distance(from: text.startIndex, to: start) < 80 else {
            return nil
        }
        return text[start...].firstIndex(of: "\"").map { String(text[start..<$0]) }
    }

    // MARK: - Writing

    func remove(_ row: WaitingChange) throws { try run("DELETE FROM _sync_change WHERE change = ?", [.integer(row.number)]) }

    func removeChanges(of key: SyncKey) throws {
        try run(
            "DELETE FROM _sync_change WHERE server = ? AND type = ? AND id = ?", [.integer(server), .text(key.typeName), .text(key.id)])
    }

    /// The changes of a resource become one, from a state of the server to the store's.
    ///
    /// - Parameter state: what becomes of it.
    func rebase(_ key: SyncKey, on base: String?, _ state: WaitingChange.State = .waiting) throws {
        let rows = try changes(of: key)
        guard let last = rows.last else { return }
        for row in rows.dropLast() { try remove(row) }
        try run(
            """
            UPDATE _sync_change SET base = ?, content = NULL, isEach = 0, sent = 0, earlier = NULL, state = ?, issues = NULL, remote = NULL,
              remoteVersion = NULL WHERE change = ?
            """, [.optional(base.map { try sealing($0, of: key) }), .integer(state.rawValue), .integer(last.number)])
    }

    /// Gives a change another state, with what the server said, and counts the attempt.
    func setAside(_ number: Int64, _ state: WaitingChange.State, status: Int?, issues: [OutcomeIssue]) throws {
        let text = issues.isEmpty ? nil : String(decoding: try JSONEncoder().encode(issues), as: UTF8.self)
        try run(
            "UPDATE _sync_change SET state = ?, sent = 0, status = ?, issues = ?, attempts = attempts + 1 WHERE change = ?",
            [.integer(state.rawValue), status.map { .integer(Int64($0)) } ?? .null, .optional(text), .integer(number)])
    }

    /// Counts an attempt that failed.
    func noteFailure(_ number: Int64, status: Int?) throws {
        try run(
            "UPDATE _sync_change SET status = ?, attempts = attempts + 1 WHERE change = ?",
            [status.map { .integer(Int64($0)) } ?? .null, .integer(number)])
    }
}

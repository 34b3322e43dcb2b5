import FireLiteCore
import Foundation

/// Writes the tracked changes of one write into `_change`.
struct ChangeRecorder {
    private let access: StoreConnection
    private let settings: TrackingSettings
    private let origin: WriteOrigin
    private let table: ChangeTable
    private let first: Int64
    private(set) var next: Int64
    /// Whether rows of this write may be gone again, as it deleted resources that it had added, or was rolled back in part.
    private var leavesHoles = false
    private let time: Int64
    /// The number of the first resource that this write adds.
    private let firstRoot: Int64
    /// The resources whose content before the write is recorded, once each: a second row would be a version that never was.
    private var recorded: Set<Int64> = []
    /// The same in the order in which they were recorded, and how many there were when each of the savepoints began that still last.
    private var order: [Int64] = []
    private var savepoints: [Int] = []
    /// Whether a type is tracked, by the number of its table.
    private var known: [Int: Bool] = [:]
    /// Whether new resources may have had versions before; nil before it is needed.
    private var hasReplaced: Bool?
    private let digestKey: UInt64

    /// - Returns: nil if the file tracks nothing.
    init?(_ access: StoreConnection, _ settings: TrackingSettings, origin: WriteOrigin, firstRoot: Int64, digestKey: UInt64) {
        guard !settings.isEmpty else { return nil }
        self.access = access
        self.settings = settings
        self.origin = origin
        self.firstRoot = firstRoot
        self.digestKey = digestKey
        table = ChangeTable(connection: access.connection)
        first = settings.next
        next = settings.next
        time = access.clock.now().milliseconds(.down)
    }

    var hasWritten: Bool { next != first }

    /// The numbers that this write has given and that no row has.
    func holes() throws -> [ClosedRange<Int64>] { leavesHoles ? try table.missing(in: first..<next) : [] }

    mutating func beginSavepoint() { savepoints.append(order.count) }

    mutating func endSavepoint() { _ = savepoints.popLast() }

    /// Ends the last savepoint, whose rows are gone.
    mutating func rollBackToSavepoint() {
        guard let count = savepoints.popLast() else { return }
        leavesHoles = true
        for root in order[count...] { recorded.remove(root) }
        order.removeSubrange(count...)
    }

    private mutating func tracks(_ type: TablePlan) -> Bool {
        if let known = known[type.index] { return known }
        let isTracked = settings.history.contains(type.name) || origin == .local && settings.changes.contains(type.name)
        known[type.index] = isTracked
        return isTracked
    }

    // MARK: - Numbers of versions

    /// The number of a new resource's first version: after those of a deleted one with its type and id, or 1.
    mutating func firstRevision(of id: String?, _ type: TablePlan) throws -> Int64 {
        guard let id, !settings.history.isEmpty, settings.history.contains(type.name) else { return 1 }
        let mayContinue = try hasReplaced ?? table.hasReplaced
        hasReplaced = mayContinue
        guard mayContinue else { return 1 }
        return try Registration.revision(after: table.lastRevision(type.name, id: id, digestKey: digestKey), access.connection)
    }

    // MARK: - Recording

    /// Resources were added; each has its type's table.
    mutating func added(_ resources: some Sequence<(root: Int64, type: TablePlan)>) throws {
        var roots: [Int64] = []
        for (root, type) in resources where tracks(type) { roots.append(root) }
        guard !roots.isEmpty else { return }
        try table.insertAdditions(roots, from: next, time: time, origin: origin)
        next += Int64(roots.count)
    }

    /// Whether `willUpdate` needs the content of a resource that is about to be changed.
    mutating func needsContent(_ registration: Registration, _ type: TablePlan) -> Bool {
        tracks(type) && registration.root < firstRoot && !recorded.contains(registration.root)
    }

    /// A resource whose content is needed is about to be changed.
    mutating func willUpdate(_ registration: Registration, _ type: TablePlan, _ content: FHIRResource?) throws {
        try record(.updated, registration: registration, type: type, content: content)
        if recorded.insert(registration.root).inserted { order.append(registration.root) }
    }

    /// A resource is about to be deleted.
    mutating func willDelete(_ registration: Registration, _ type: TablePlan) throws {
        guard tracks(type) else { return }
        if registration.root >= firstRoot { return try removeAddition(registration.root) }
        if recorded.contains(registration.root) {
            // The content before the write is in the row of the update, which becomes one of a deletion.
            let row = try table.rows("seq >= ? AND root = ?", [.integer(first), .integer(registration.root)]).last
            try removeAddition(registration.root)
            if let row, row.content != nil {
                return try insert(row.numbered(next, .deleted, id: access.registry.id(of: type, root: registration.root)))
            }
        }
        try record(.deleted, registration: registration, type: type, content: access.reader.resource(registration))
    }

    private mutating func removeAddition(_ root: Int64) throws {
        leavesHoles = true
        try table.removeAddition(root: root, since: first)
    }

    private mutating func record(
        _ kind: ResourceChange.Kind, registration: Registration, type: TablePlan, content: FHIRResource?
    ) throws {
        guard let content else {
            throw FHIRStoreError(.notAStore, "the resource with number \(registration.root) cannot be read", remedy: .check)
        }
        try insert(
            ChangeTable.Row(
                sequence: next, root: registration.root, kind: kind, time: time, origin: origin, typeName: type.name, id: content.id,
                revision: registration.revision, digest: registration.digest, pk: registration.pk), content: content)
    }

    private mutating func insert(_ row: ChangeTable.Row, content: FHIRResource? = nil) throws {
        try table.insert(row, content: content)
        hasReplaced = true
        next += 1
    }
}

extension ChangeTable.Row {
    /// The same content, replaced by another change.
    fileprivate func numbered(_ sequence: Int64, _ kind: ResourceChange.Kind, id: String?) -> ChangeTable.Row {
        ChangeTable.Row(
            sequence: sequence, root: root, kind: kind, time: time, origin: origin, typeName: typeName, id: id, revision: revision,
            digest: digest, content: content, pk: pk)
    }
}

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
    private let time: Int64
    /// The number of the first resource that this write adds.
    private let firstRoot: Int64
    /// The resources whose content before the write is recorded. A savepoint that is rolled back empties it: recording twice does no harm.
    private var recorded: Set<Int64> = []
    /// Whether a type is tracked, by the number of its table.
    private var known: [Int: Bool] = [:]

    /// - Returns: nil if the file tracks nothing.
    init?(_ access: StoreConnection, _ settings: TrackingSettings, origin: WriteOrigin, firstRoot: Int64) {
        guard !settings.isEmpty else { return nil }
        self.access = access
        self.settings = settings
        self.origin = origin
        self.firstRoot = firstRoot
        table = ChangeTable(connection: access.connection)
        first = settings.next
        next = settings.next
        time = Int64(Date().timeIntervalSince1970 * 1_000)
    }

    var hasWritten: Bool { next != first }

    mutating func rollBackToSavepoint() { recorded.removeAll() }

    private mutating func tracks(_ type: TablePlan) -> Bool {
        if let known = known[type.index] { return known }
        let isTracked = settings.history.contains(type.name) || origin == .local && settings.changes.contains(type.name)
        known[type.index] = isTracked
        return isTracked
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

    /// A resource is about to be changed.
    mutating func willUpdate(_ registration: Registration, _ type: TablePlan) throws {
        guard tracks(type), registration.root < firstRoot, !recorded.contains(registration.root) else { return }
        try record(.updated, registration, type)
        recorded.insert(registration.root)
    }

    /// A resource is about to be deleted.
    mutating func willDelete(_ registration: Registration, _ type: TablePlan) throws {
        guard tracks(type) else { return }
        if registration.root >= firstRoot { return try table.removeAddition(root: registration.root, since: first) }
        if recorded.contains(registration.root) {
            // The content before the write is in the row of the update, which becomes one of a deletion.
            let row = try table.rows("seq >= ? AND root = ?", [.integer(first), .integer(registration.root)]).last
            try table.removeAddition(root: registration.root, since: first)
            if let content = row?.content, let digest = row?.digest, let revision = row?.revision {
                return try record(.deleted, registration, type, (content, digest, revision))
            }
        }
        try record(.deleted, registration, type)
    }

    private mutating func record(
        _ kind: ResourceChange.Kind, _ registration: Registration, _ type: TablePlan,
        _ before: (content: String, digest: ContentDigest.Value, revision: Int64)? = nil
    ) throws {
        let id = try access.registry.id(of: type, root: registration.root)
        let content: String
        if let before {
            content = before.content
        } else {
            guard let resource = try access.reader.resource(registration) else {
                throw FHIRStoreError(.notAStore, "the resource with number \(registration.root) cannot be read: run check()")
            }
            content = FHIRJSON.string(resource)
        }
        try table.insert(
            ChangeTable.Row(
                sequence: next, root: registration.root, kind: kind, time: time, origin: origin, typeName: type.name, id: id,
                revision: before?.revision ?? registration.revision, digest: before?.digest ?? registration.digest, content: content,
                pk: registration.pk))
        next += 1
    }
}

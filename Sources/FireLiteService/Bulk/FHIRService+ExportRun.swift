import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

extension FHIRService {
    /// Writes the files of an export, from one snapshot, with as many threads as the store's configuration allows.
    ///
    /// - Returns: the job with its outputs.
    func runExport(_ job: BulkJob) async throws -> BulkJob {
        guard jobs != nil else { throw ServiceFault.notFound }
        let (types, readers) = (ExportTypes(), exportReaders)
        let start = SnapshotStart(readers: readers, self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Whatever ends the task, nobody waits for it.
                defer { start.giveUp() }
                try await self.store.transferring { start.hold() }
            }
            for reader in 0..<readers {
                group.addTask {
                    defer { start.noteBegun(reader) }
                    try await self.store.transferring {
                        // Without a common snapshot the first reads alone.
                        guard start.isHeldForAll() || reader == 0 else { return }
                        try self.read { transaction in
                            start.noteBegun(reader)
                            try ExportRun(self, job, transaction).write(types)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        var job = job
        job.transactionTime = start.time
        job.outputs = types.outputs
        return job
    }

    /// The number of threads of an export.
    private var exportReaders: Int {
        let settings = store.configuration
        // The jobs leave connections for requests.
        let most = min(settings.maximumCores, (settings.maximumReaders - 2) / max(1, configuration.limits.jobs))
        guard most > 1, settings.access == .readWrite, store.path != ":memory:",
            let size = try? FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int, size >= settings.bytesForMoreCores
        else { return 1 }
        return most
    }
}

/// The types of an export, which its threads take one after another, and what they wrote.
///
/// `@unchecked Sendable`: `lock` guards its state.
private final class ExportTypes: @unchecked Sendable {
    private let lock = NSLock()
    /// The types that are left, the largest last; nil before the first is taken.
    private var left: [String]?
    private var total = 0
    private var written: [BulkJob.Output] = []

    /// The largest type that is left.
    ///
    /// - Parameter counts: gives the types with the numbers of their resources; called once.
    func next(_ counts: () throws -> [TypeCount]) rethrows -> (type: String, number: Int, total: Int)? {
        try lock.withLock {
            if left == nil {
                left = try counts().sorted { ($0.count, $1.typeName) < ($1.count, $0.typeName) }.map(\.typeName)
                total = left?.count ?? 0
            }
            guard let type = left?.popLast() else { return nil }
            return (type, total - (left?.count ?? 0), total)
        }
    }

    func add(_ output: BulkJob.Output) { lock.withLock { written.append(output) } }

    /// What was written, by type.
    var outputs: [BulkJob.Output] { lock.withLock { written.sorted { $0.type < $1.type } } }
}

/// What one thread of an export does.
private struct ExportRun {
    private let service: FHIRService
    private let job: BulkJob
    private let transaction: ReadTransaction
    private let restriction: ScopeRestriction?
    private let folder: URL

    init(_ service: FHIRService, _ job: BulkJob, _ transaction: ReadTransaction) throws {
        self.service = service
        self.job = job
        self.transaction = transaction
        restriction = job.scopes.map { _ in ScopeRestriction(job.access, for: .read) }
        guard let jobs = service.jobs else { throw ServiceFault.notFound }
        folder = jobs.folder(of: job.id)
    }

    /// Writes files until no type is left.
    func write(_ types: ExportTypes) throws {
        let patients = try groupPatients()
        while let next = try types.next(exportedTypes) {
            guard let layout = service.release.resourceLayout(named: next.type), transaction.hasTable(of: layout) else { continue }
            service.jobs?.report(job.id, "\(next.type), \(next.number) of \(next.total) types")
            let name = "\(next.type).ndjson"
            let count = try write(layout, to: folder.appendingPathComponent(name), patients)
            if count > 0 { types.add(BulkJob.Output(type: next.type, file: name, count: count)) }
        }
    }

    /// The types of the export.
    private func exportedTypes() throws -> [TypeCount] {
        let members: Set<String>? =
            job.kind == .system
            ? nil : Set(service.release.compartmentMembers(of: "Patient") + ["Patient"] + (job.kind == .group ? ["Group"] : []))
        return try transaction.counts().filter {
            (members?.contains($0.typeName) ?? true) && (job.types.isEmpty || job.types.contains($0.typeName))
        }
    }

    /// The ids of the Group's patients; nil for all.
    private func groupPatients() throws -> Set<String>? {
        guard job.kind == .group, let id = job.group else { return nil }
        guard let group = try seen({ try transaction.resource(typeName: "Group", id: id) }) else { throw ServiceFault.notFound }
        var ids: Set<String> = []
        let bases = try transaction.bases()
        for member in group.children("member") where member.text("inactive") != "true" {
            guard let parts = member.child("entity")?.text("reference").map({ ReferenceParts($0) }), parts.isLocal(bases) else { continue }
            if parts.type == "Patient", let patient = parts.id { ids.insert(patient) }
        }
        return ids
    }

    private func seen<Value>(_ body: () throws -> Value) throws -> Value {
        try restriction.map { try transaction.restricted(by: $0, body) } ?? body()
    }

    private func request(_ layout: Layout) throws -> QueryRequest {
        var request = QueryRequest(layout)
        if let since = job.since {
            // What does not say when it was changed may have been.
            let isLater = try transaction.searchCondition([.init(name: "_lastUpdated", value: "ge" + since)], on: layout)
            let isUnknown = try transaction.searchCondition([.init(name: "_lastUpdated:missing", value: "true")], on: layout)
            request.add(.or([isLater, isUnknown].compactMap { $0 }))
        }
        let filters = job.typeFilters.filter { $0.type == layout.name }
        if !filters.isEmpty {
            request.add(.or(try filters.compactMap { try transaction.searchCondition(QueryItems($0.query).all, on: layout) }))
        }
        return request
    }

    /// Writes the resources of a type.
    private func write(_ layout: Layout, to url: URL, _ patients: Set<String>?) throws -> Int {
        let parameters =
            job.elements.isEmpty ? [] : [SearchRequest.Parameter(name: "_elements", value: elements(layout).joined(separator: ","))]
        let isWhole = job.elements.isEmpty || elements(layout).isEmpty
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw ServiceFault(507, "no-store", "the files of the export cannot be written")
        }
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        var file = ExportFile(handle)
        let request = try request(layout)
        // Those of subscriptions may have secrets.
        if job.kind == .system, isWhole, request.isWholeType, layout.name != "Subscription", restriction == nil, transaction.hasOnlyRows {
            try transaction.forEachLine(ofTypeNamed: layout.name) { line, version in
                try file.add(line, version: version)
            } object: { resource in
                try file.add(resource.stamped(version: FHIRStore.revision(of: resource)))
            }
        } else {
            let own: Set<String> = layout.name == "Subscription" ? try service.ownSubscriptions(of: job.access, transaction) : []
            try seen {
                try service.store.forEach(request) { resource in
                    if file.count % 256 == 0 { try transaction.checkCancellation() }
                    if job.kind != .system, try !isExported(resource, patients) { return }
                    let whole = try transaction.whole(resource).stamped(version: FHIRStore.revision(of: resource))
                    let stamped = try service.shown(whole, own: own)
                    try file.add(isWhole ? stamped : try service.store.subset(of: stamped, parameters) ?? stamped)
                }
            }
        }
        try file.write()
        if file.count == 0 { try FileManager.default.removeItem(at: url) }
        return file.count
    }

    /// Whether a resource belongs to the patients of the export.
    private func isExported(_ resource: FHIRResource, _ patients: Set<String>?) throws -> Bool {
        if resource.resourceType == "Group" { return resource.id == job.group }
        return try transaction.isInCompartment(resource, of: "Patient", ids: patients)
    }

    /// The elements that are asked for of a type: `id`, or `Patient.name`.
    private func elements(_ layout: Layout) -> [String] {
        job.elements.filter { name in
            let parts = name.split(separator: ".")
            return parts.count < 2 || parts[0] == layout.name
        }
    }
}

/// A file of an export, written in large pieces.
private struct ExportFile {
    private let handle: FileHandle
    private var buffer = Data(capacity: ExportFile.size + ExportFile.size / 4)
    /// The number of resources.
    private(set) var count = 0

    private static let size = 1 << 18

    init(_ handle: FileHandle) { self.handle = handle }

    /// Adds a resource.
    mutating func add(_ resource: FHIRResource) throws {
        FHIRJSON.withUTF8(of: resource) { buffer.append($0) }
        buffer.append(UInt8(ascii: "\n"))
        try noteAdded()
    }

    /// Adds a resource by its JSON and a line feed.
    ///
    /// - Returns: false if its version cannot be set in that.
    mutating func add(_ line: UnsafeBufferPointer<UInt8>, version: Int64) throws -> Bool {
        guard let versioned = VersionedLine(line, version: version) else { return false }
        buffer.append(UnsafeBufferPointer(rebasing: line[versioned.head]))
        buffer.append(contentsOf: versioned.inset.utf8)
        buffer.append(UnsafeBufferPointer(rebasing: line[versioned.tail]))
        try noteAdded()
        return true
    }

    private mutating func noteAdded() throws {
        count += 1
        if buffer.count > Self.size { try write() }
    }

    /// Writes what is not written yet.
    mutating func write() throws {
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

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
        job.errors = types.errors
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
    private var faults: [BulkJob.Output] = []

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

    func addErrors(_ output: BulkJob.Output) { lock.withLock { faults.append(output) } }

    /// What was written, by type.
    var outputs: [BulkJob.Output] { lock.withLock { written.sorted { $0.type < $1.type } } }

    /// The files with errors, by name.
    var errors: [BulkJob.Output]? { lock.withLock { faults.isEmpty ? nil : faults.sorted { $0.file < $1.file } } }
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
            let (file, errors) = (ExportFile(folder, next.type), ExportFile(folder, "\(next.type).errors"))
            defer {
                file.close()
                errors.close()
            }
            try write(layout, to: file, errors, patients)
            if file.count > 0 { types.add(BulkJob.Output(type: next.type, file: file.name, count: file.count)) }
            if errors.count > 0 { types.addErrors(BulkJob.Output(type: "OperationOutcome", file: errors.name, count: errors.count)) }
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

    /// Writes the resources of a type, and an outcome for each that cannot be read whole, such as one whose payload is lost.
    private func write(_ layout: Layout, to file: ExportFile, _ errors: ExportFile, _ patients: Set<String>?) throws {
        let parameters =
            job.elements.isEmpty ? [] : [SearchRequest.Parameter(name: "_elements", value: elements(layout).joined(separator: ","))]
        let isWhole = job.elements.isEmpty || elements(layout).isEmpty
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
                    if (file.count + errors.count) % 256 == 0 { try transaction.checkCancellation() }
                    if job.kind != .system, try !isExported(resource, patients) { return }
                    let whole: FHIRResource
                    do { whole = try transaction.whole(resource) } catch let error as any ResourceFault where error.concernsOneResource {
                        return try errors.add(Self.outcome(error, resource))
                    }
                    let stamped = try service.shown(whole.stamped(version: FHIRStore.revision(of: resource)), own: own)
                    try file.add(isWhole ? stamped : try service.store.subset(of: stamped, parameters) ?? stamped)
                }
            }
        }
        try file.write()
        try errors.write()
    }

    /// The outcome for a resource that is not exported (Bulk Data Access, `error` of the manifest).
    private static func outcome(_ error: any ResourceFault, _ resource: FHIRResource) -> String {
        let name = resource.id.map { "\(resource.resourceType)/\($0)" } ?? "a \(resource.resourceType) without an id"
        return ServiceFault.outcomeJSON([ServiceFault.Issue(code: "exception", text: "\(name) is not exported: \(error.text.problem)")])
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

/// A file of an export, created with its first line and written in large pieces, by one thread.
private final class ExportFile {
    let name: String
    /// The number of lines.
    private(set) var count = 0
    private let url: URL
    private var handle: FileHandle?
    private var buffer = Data()

    private static let size = 1 << 18

    /// - Parameter name: the name without its extension.
    init(_ folder: URL, _ name: String) {
        self.name = "\(name).ndjson"
        url = folder.appendingPathComponent(self.name)
    }

    /// Adds a resource.
    func add(_ resource: FHIRResource) throws {
        FHIRJSON.withUTF8(of: resource) { buffer.append($0) }
        try endLine()
    }

    /// Adds a resource by its JSON.
    func add(_ json: String) throws {
        buffer.append(contentsOf: json.utf8)
        try endLine()
    }

    /// Adds a resource by its JSON and a line feed.
    ///
    /// - Returns: false if its version cannot be set in that.
    func add(_ line: UnsafeBufferPointer<UInt8>, version: Int64) throws -> Bool {
        guard let versioned = VersionedLine(line, version: version) else { return false }
        buffer.append(UnsafeBufferPointer(rebasing: line[versioned.head]))
        buffer.append(contentsOf: versioned.inset.utf8)
        buffer.append(UnsafeBufferPointer(rebasing: line[versioned.tail]))
        try noteAdded()
        return true
    }

    private func endLine() throws {
        buffer.append(UInt8(ascii: "\n"))
        try noteAdded()
    }

    private func noteAdded() throws {
        count += 1
        if buffer.count > Self.size { try write() }
    }

    /// Writes what is not written yet.
    func write() throws {
        guard !buffer.isEmpty else { return }
        let handle = try self.handle ?? open()
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func open() throws -> FileHandle {
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw ServiceFault(507, "no-store", "the files of the export cannot be written")
        }
        let handle = try FileHandle(forWritingTo: url)
        self.handle = handle
        return handle
    }

    func close() { try? handle?.close() }
}

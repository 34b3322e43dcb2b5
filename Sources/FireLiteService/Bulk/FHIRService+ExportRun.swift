import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

extension FHIRService {
    /// Writes the files of an export, from one snapshot.
    ///
    /// - Returns: the job with its outputs.
    func runExport(_ job: BulkJob) async throws -> BulkJob {
        try await store.transferring {
            try self.store.read { transaction in try ExportRun(self, job, transaction).run() }
        }
    }
}

/// One run of an export.
private struct ExportRun {
    private let service: FHIRService
    private var job: BulkJob
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
        self.job.transactionTime = service.configuration.clock.now()
        self.job.outputs = []
    }

    func run() throws -> BulkJob {
        var job = job
        let patients = try groupPatients()
        let types = try exportedTypes()
        for (number, type) in types.enumerated() {
            guard let layout = service.release.resourceLayout(named: type), transaction.hasTable(of: layout) else { continue }
            service.jobs?.report(job.id, "\(type), \(number + 1) of \(types.count) types")
            let name = "\(type).ndjson"
            let count = try write(layout, to: folder.appendingPathComponent(name), patients)
            if count > 0 { job.outputs.append(BulkJob.Output(type: type, file: name, count: count)) }
        }
        return job
    }

    /// The types of the export, in order.
    private func exportedTypes() throws -> [String] {
        let members: Set<String>? =
            job.kind == .system
            ? nil : Set(service.release.compartmentMembers(of: "Patient") + ["Patient"] + (job.kind == .group ? ["Group"] : []))
        let stored = try transaction.counts().map(\.typeName)
        return stored.filter { (members?.contains($0) ?? true) && (job.types.isEmpty || job.types.contains($0)) }
    }

    /// The ids of the Group's patients; nil for all.
    private func groupPatients() throws -> Set<String>? {
        guard job.kind == .group, let id = job.group else { return nil }
        guard let group = try seen({ try transaction.resource(typeName: "Group", id: id) }) else { throw ServiceFault.notFound }
        var ids: Set<String> = []
        for member in group.children("member") where member.text("inactive") != "true" {
            let parts = member.child("entity")?.text("reference").map { ReferenceParts($0) }
            if parts?.type == "Patient", let patient = parts?.id { ids.insert(patient) }
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
        var buffer = Data()
        var count = 0
        let request = try request(layout)
        let own: Set<String> = layout.name == "Subscription" ? try service.ownSubscriptions(of: job.access, transaction) : []
        try seen {
            try service.store.forEach(request) { resource in
                if count % 256 == 0 { try transaction.checkCancellation() }
                if job.kind != .system, try !isExported(resource, patients) { return }
                let whole = try transaction.whole(resource).stamped(version: FHIRStore.revision(of: resource))
                let stamped = try service.shown(whole, own: own)
                let part = isWhole ? stamped : try service.store.subset(of: stamped, parameters) ?? stamped
                buffer += FHIRJSON.data(part)
                buffer.append(UInt8(ascii: "\n"))
                count += 1
                if buffer.count > 1 << 18 {
                    try handle.write(contentsOf: buffer)
                    buffer.removeAll(keepingCapacity: true)
                }
            }
        }
        try handle.write(contentsOf: buffer)
        if count == 0 { try FileManager.default.removeItem(at: url) }
        return count
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

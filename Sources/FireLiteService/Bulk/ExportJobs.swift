import FireLiteCore
import Foundation

/// The jobs of bulk data of a service, each with a folder: `job.json`, and the files of its result.
///
/// `@unchecked Sendable`: `lock` guards `tasks` and `progress`.
final class ExportJobs: @unchecked Sendable {
    let folder: URL
    private let limit: Int
    private let lock = NSLock()
    private var tasks: [String: Task<Void, Never>] = [:]
    private var progress: [String: String] = [:]

    /// - Parameter folder: the folder with their folders, which the first job makes: a service without jobs leaves nothing on the disk.
    /// - Throws: `ServiceError.file` if something else than a folder is there.
    init(folder: URL, limit: Int) throws {
        self.folder = folder
        self.limit = limit
        var isFolder: ObjCBool = false
        guard !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) || isFolder.boolValue else {
            throw ServiceError(.file, "the work folder is a file: name a folder, or what does not exist yet")
        }
    }

    // MARK: - Files

    func folder(of id: String) -> URL { folder.appendingPathComponent(id, isDirectory: true) }

    private func file(of id: String) -> URL { folder(of: id).appendingPathComponent("job.json") }

    /// The job with an id; nil if there is none.
    func job(_ id: String) -> BulkJob? {
        guard UUID(uuidString: id) != nil, let data = FileManager.default.contents(atPath: file(of: id).path) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        // A file that was damaged is a job that is not there.
        return try? decoder.decode(BulkJob.self, from: data)
    }

    /// Writes a job's file, unless the job was cancelled.
    func save(_ job: BulkJob) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        try encoder.encode(job).write(to: file(of: job.id), options: .atomic)
    }

    private var ids: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { UUID(uuidString: $0) != nil }
    }

    // MARK: - Running

    /// Begins a job.
    ///
    /// - Throws: `ServiceFault`: with status 429 if too many run, with 500 if its folder cannot be made.
    func start(_ job: BulkJob, _ service: FHIRService) throws {
        removeOld(service.configuration.clock.now())
        try lock.withLock {
            guard tasks.count < limit else {
                throw ServiceFault(429, "throttled", "\(limit) jobs are running already", fields: ["Retry-After": "10"])
            }
            do {
                for folder in [folder, folder(of: job.id)] {
                    try FileManager.default.createDirectory(
                        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                }
                try save(job)
            } catch {
                throw ServiceFault(
                    500, "exception", "the server cannot write to its folder for jobs: its owner must name another one, or permit that")
            }
            run(job, service)
        }
    }

    /// Continues the jobs that an earlier process did not finish. They begin again, as a snapshot ends with its process.
    func resume(_ service: FHIRService) {
        lock.withLock {
            for id in ids {
                guard let job = job(id), job.state == .running, tasks[id] == nil else { continue }
                run(job, service)
            }
        }
    }

    private func run(_ job: BulkJob, _ service: FHIRService) {
        tasks[job.id] = Task.detached { [self] in
            var finished = job
            do {
                finished = try await job.kind == .import ? service.runImport(job) : service.runExport(job)
                finished.state = .finished
            } catch is CancellationError {
                // The folder is gone, or the process ends and the job continues later.
                forget(job.id)
                return
            } catch {
                finished.state = .failed
                finished.problem = ServiceFault(error).issues.first?.text
            }
            finished.finished = service.configuration.clock.now()
            do { try save(finished) } catch { report(job.id, "the result cannot be written") }
            forget(job.id)
        }
    }

    private func forget(_ id: String) {
        lock.withLock {
            tasks[id] = nil
            progress[id] = nil
        }
    }

    func report(_ id: String, _ text: String) { lock.withLock { progress[id] = text } }

    func progress(of id: String) -> String? { lock.withLock { progress[id] } }

    /// Cancels a job and deletes its files.
    func remove(_ id: String) async {
        let task = lock.withLock { tasks[id] }
        task?.cancel()
        await task?.value
        discard(id)
    }

    /// Stops what runs, so that it continues with the next process.
    func stop() async {
        let running = lock.withLock { Array(tasks.values) }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }

    private func discard(_ id: String) {
        // What cannot be deleted is old at the next start.
        try? FileManager.default.removeItem(at: folder(of: id))
    }

    private func removeOld(_ now: Date) {
        for id in ids where job(id).map({ $0.state != .running && $0.end < now }) ?? isLost(id, now) { discard(id) }
    }

    /// Whether a folder without a job that can be read is as old as a result that is not kept any more.
    private func isLost(_ id: String, _ now: Date) -> Bool {
        guard lock.withLock({ tasks[id] == nil }) else { return false }
        // A folder whose time is unknown stays.
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder(of: id).path)
        guard let changed = attributes?[.modificationDate] as? Date else { return false }
        return changed.addingTimeInterval(BulkJob.lifetime) < now
    }
}

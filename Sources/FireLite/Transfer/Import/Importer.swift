import FireLiteCore
import Foundation

/// Imports files into a store: one thread reads ahead, the calling one writes.
package struct Importer {
    /// What is called during an import, on the calling thread.
    package struct Handlers {
        /// Called with rejected texts.
        package var reject: ([RejectedText]) throws -> Void = { _ in }
        /// Called with notes for the user, one line each.
        package var note: ([String]) throws -> Void = { _ in }
        /// Called with the places that were mended in a batch.
        package var mend: ([MendedPlace]) throws -> Void = { _ in }
        /// Called after each batch.
        package var progress: StoreProgressHandler = { _ in }

        package init() {}
    }

    private let store: FHIRStore
    private let content: ContentOptions
    private let policy: UpsertPolicy
    private let origin: WriteOrigin
    /// The number of resources after which a write ends; nil for one write a file.
    private let resourcesPerWrite: Int?
    private let listedFaults: Int
    private let handlers: Handlers
    /// The results so far.
    package private(set) var counts = ImportCounts()
    /// The first faults.
    private(set) var faults: [ImportFault] = []
    /// The number of resources that were read and stored so far, and of those that are committed.
    private var (stored, committed) = (0, 0)
    /// The number of bytes read so far, in total if known, and in finished files.
    private var bytes = 0
    private var totalBytes: Int?
    private var bytesBefore = 0

    /// Reading recurses as deep as JSON's nesting, and on some systems threads other than the first have a small stack by default.
    static let stackSize = 16 << 20

    /// - Parameters:
    ///   - resourcesPerWrite: the number of resources after which a write ends. Default: each file is one write.
    ///   - listedFaults: the number of faults to keep. Default: none.
    package init(
        store: FHIRStore, options content: ContentOptions, policy: UpsertPolicy = .replace, origin: WriteOrigin = .local,
        resourcesPerWrite: Int? = nil, listedFaults: Int = 0, handlers: Handlers = Handlers()
    ) {
        self.store = store
        self.content = content
        self.policy = policy
        self.origin = origin
        self.resourcesPerWrite = resourcesPerWrite
        self.listedFaults = listedFaults
        self.handlers = handlers
    }

    /// Imports files one after the other.
    ///
    /// - Parameter totalBytes: the size of all files, if known.
    /// - Throws: as `run` for one file does.
    package mutating func run(_ sources: [ImportSource], totalBytes: Int? = nil) throws {
        self.totalBytes = totalBytes
        var preparation = TablePreparation(store: store, options: content)
        for (index, source) in sources.enumerated() {
            try Cancellation.checkCall()
            try preparation.prepare(sources, from: index)
            try run(source)
        }
    }

    /// Imports one file.
    ///
    /// - Throws: `ImportFault` at the first fault if the options say so; `CancellationError`; `FHIRStoreError`; `TransferError`. Finished writes
    ///   stay, and nothing else from the file is stored.
    package mutating func run(_ source: ImportSource) throws {
        do {
            try write(source)
        } catch let rejected as RejectedText {
            counts.rejected += 1
            list(rejected)
            try handlers.reject([rejected])
            throw rejected.fault
        }
        bytesBefore = bytes
    }

    private func report() throws {
        try handlers.progress(
            StoreProgress(.importing, bytes, of: totalBytes, .bytes, resources: stored, committed: committed))
    }

    // MARK: - Reading

    /// Reads the file on a thread of its own.
    private func read(_ source: ImportSource) -> BatchQueue {
        let queue = BatchQueue(capacity: content.limits.waitingBatches)
        let (store, content) = (store, content)
        let thread = Thread {
            do {
                let input = try InputFile(source, zlib: content.zlib)
                try ImportReader(input, options: content, digest: store.digest, deliver: queue.put).run()
                queue.finish()
            } catch {
                queue.finish(error)
            }
        }
        thread.stackSize = Self.stackSize
        thread.start()
        return queue
    }

    // MARK: - Writing

    private mutating func write(_ source: ImportSource) throws {
        let queue = read(source)
        defer {
            if case .stream(let stream) = source { stream.stop() }
            queue.cancel()
        }
        // No lock is held while nothing is there to write.
        while let first = try queue.next() {
            let written = try store.write(origin: origin) { transaction in
                var counts = ImportCounts()
                var next: ImportBatch? = first
                while let batch = next {
                    try Cancellation.checkCall()
                    counts += try write(batch, transaction, file: source.name)
                    bytes = max(bytes, bytesBefore + batch.end)
                    stored = committed + counts.stored
                    queue.giveBack(batch)
                    try report()
                    next = isFull(counts) ? nil : try queue.next(waits: !source.isStream)
                }
                return counts
            }
            counts += written
            committed = counts.stored
            try report()
        }
    }

    private func isFull(_ counts: ImportCounts) -> Bool {
        resourcesPerWrite.map { counts.stored + counts.superseded + counts.skipped >= $0 } ?? false
    }

    private mutating func write(_ batch: ImportBatch, _ transaction: WriteTransaction, file: String) throws -> ImportCounts {
        var counts = ImportCounts(rejected: batch.faults.count, superseded: batch.superseded, outcomes: batch.outcomes)
        for rejected in batch.faults { list(rejected) }
        if !batch.faults.isEmpty { try handlers.reject(batch.faults) }
        if !batch.notes.isEmpty { try handlers.note(batch.notes) }
        if !batch.mends.isEmpty { try handlers.mend(batch.mends) }
        do {
            counts += ImportCounts(try transaction.store(batch.resources, digests: batch.digests, policy: policy))
        } catch let error as any ResourceFault where error.concernsOneResource {
            // Storing one by one shows which resource failed.
            counts += try writeSingly(batch, transaction, file: file)
        }
        return counts
    }

    private mutating func writeSingly(_ batch: ImportBatch, _ transaction: WriteTransaction, file: String) throws -> ImportCounts {
        var counts = ImportCounts()
        for (resource, origin) in zip(batch.resources, batch.origins) {
            do {
                counts += ImportCounts(try transaction.store([resource], policy: policy))
            } catch let error as any ResourceFault where error.concernsOneResource {
                let rejected = origin.place.fault(error.message, file: file, text: batch.text(of: origin))
                if content.stopsAtFault { throw rejected }
                list(rejected)
                try handlers.reject([rejected])
                counts.rejected += 1
            }
        }
        return counts
    }

    private mutating func list(_ rejected: RejectedText) {
        if faults.count < listedFaults { faults.append(rejected.fault) }
    }
}

extension ImportSource {
    fileprivate var isStream: Bool { if case .stream = self { true } else { false } }
}

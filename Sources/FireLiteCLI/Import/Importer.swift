import FireLite
import Foundation

/// Imports files into a store: one thread reads ahead, the calling one writes.
struct Importer {
    let store: FHIRStore
    let options: ImportOptions
    /// The file for rejected texts.
    let rejects: NDJSONFile?
    let progress: ProgressLine?
    /// Called with notes for the user, one line each.
    let report: (String) -> Void
    /// Called with the places that were mended in a batch.
    let noteMends: ([MendedPlace]) throws -> Void
    /// The results so far.
    private(set) var counts = ImportCounts()
    private var bytesBefore = 0

    /// Reading recurses as deep as JSON's nesting, and on some systems threads other than the first have a small stack by default.
    private static let stackSize = 16 << 20

    init(
        store: FHIRStore, options: ImportOptions, rejects: NDJSONFile? = nil, progress: ProgressLine? = nil,
        report: @escaping (String) -> Void = { _ in }, noteMends: @escaping ([MendedPlace]) throws -> Void = { _ in }
    ) {
        self.store = store
        self.options = options
        self.rejects = rejects
        self.progress = progress
        self.report = report
        self.noteMends = noteMends
    }

    /// Imports one file in one write.
    ///
    /// - Throws: `ImportFault` at the first fault if the options say so; `FHIRStoreError`; `ToolError`. Nothing from the file is stored then.
    mutating func run(_ source: ImportSource) throws {
        do {
            let (fileCounts, bytes) = try write(source)
            counts += fileCounts
            bytesBefore += bytes
        } catch let fault as ImportFault {
            counts.rejected += 1
            try rejects?.append([fault])
            throw fault
        }
    }

    private func write(_ source: ImportSource) throws -> (ImportCounts, bytes: Int) {
        let queue = Self.read(source, into: store, options)
        defer { queue.cancel() }
        return try store.write { transaction in
            var counts = ImportCounts()
            var bytes = 0
            while let batch = try queue.next() {
                counts += try write(batch, transaction, file: source.name)
                bytes = max(bytes, batch.end)
                queue.giveBack(batch)
                try progress?.update(resources: self.counts.stored + counts.stored, bytes: bytesBefore + bytes)
            }
            return (counts, bytes)
        }
    }

    /// Reads the file on a thread of its own.
    private static func read(_ source: ImportSource, into store: FHIRStore, _ options: ImportOptions) -> BatchQueue {
        let queue = BatchQueue(capacity: options.limits.waitingBatches)
        let thread = Thread {
            do {
                try ImportReader(InputFile(source), options: options, digest: store.digest, deliver: queue.put).run()
                queue.finish()
            } catch {
                queue.finish(error)
            }
        }
        thread.stackSize = stackSize
        thread.start()
        return queue
    }

    private func write(_ batch: ImportBatch, _ transaction: WriteTransaction, file: String) throws -> ImportCounts {
        var counts = ImportCounts(rejected: batch.faults.count, superseded: batch.superseded, outcomes: batch.outcomes)
        try rejects?.append(batch.faults)
        if !batch.notes.isEmpty { try progress?.clear() }
        for note in batch.notes { report(note) }
        if !batch.mends.isEmpty { try noteMends(batch.mends) }
        do {
            counts += ImportCounts(try transaction.store(batch.resources, digests: batch.digests))
        } catch let error as FHIRStoreError where error.code == .tooLarge {
            // Nothing from the batch is stored; storing one by one shows which resource failed.
            counts += try writeSingly(batch, transaction, file: file)
        }
        return counts
    }

    private func writeSingly(_ batch: ImportBatch, _ transaction: WriteTransaction, file: String) throws -> ImportCounts {
        var counts = ImportCounts()
        for (resource, origin) in zip(batch.resources, batch.origins) {
            do {
                counts += ImportCounts(try transaction.store([resource]))
            } catch let error as FHIRStoreError where error.code == .tooLarge {
                let fault = origin.place.fault(error.message, file: file, text: batch.text(of: origin))
                if options.stopsAtFault { throw fault }
                try rejects?.append([fault])
                counts.rejected += 1
            }
        }
        return counts
    }
}

import FireLiteCore
import Foundation

// The tool's `import` as functions.

extension FHIRStore {
    /// Stores the resources of files: NDJSON, JSON (one resource or a list), Bundles, any of them compressed with gzip, and folders.
    ///
    /// The content says what a file is, but a name that ends in `.ndjson` or `.jsonl` always means a resource on each line. A folder stands for
    /// the files in it and its folders that end in `.ndjson`, `.jsonl` or `.json`, with or without `.gz`, in the order of their names. A resource
    /// replaces the stored one with the same type and id, so repeating an import does not store anything twice; one without an id is added.
    ///
    /// Memory is bounded, whatever the size of the files: one resource must fit, up to 256 MB of text.
    ///
    /// If the task is cancelled, finished transactions stay stored and the running one is rolled back; ``StoreProgress/committed`` counts the
    /// resources that stay. The same import again continues.
    ///
    /// ```swift
    /// let result = try store.importResources(from: [folder])
    /// ```
    /// - Parameters:
    ///   - urls: the files and folders, read in this order.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction. An error that it throws ends the import, as cancelling does.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: `ImportFault` for a text that cannot be stored, unless the options skip it; `TransferError` if a file cannot be read;
    ///   `FHIRStoreError`; `CancellationError`; errors of the callbacks.
    @discardableResult
    public func importResources(
        from urls: [URL], options: ImportOptions = ImportOptions(), progress: StoreProgressHandler? = nil
    ) throws -> ImportResult {
        try importSources(urls, options, progress)
    }

    /// Stores the resources of a file or folder.
    ///
    /// - Parameters:
    ///   - url: the file or folder.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: as the form with several URLs does.
    @discardableResult
    public func importResources(
        from url: URL, options: ImportOptions = ImportOptions(), progress: StoreProgressHandler? = nil
    ) throws -> ImportResult {
        try importResources(from: [url], options: options, progress: progress)
    }

    // MARK: - Asynchronous forms

    /// Stores the resources of files without blocking the caller; the callbacks run on a thread of the library.
    ///
    /// - Parameters:
    ///   - urls: the files and folders, read in this order.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: as the blocking form does.
    @discardableResult
    public func importResources(
        from urls: [URL], options: ImportOptions = ImportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ImportResult {
        try await transfers.run(interruptsWrites: false) { try self.importSources(urls, options, progress) }
    }

    /// Stores the resources of a file or folder without blocking the caller; the callbacks run on a thread of the library.
    ///
    /// - Parameters:
    ///   - url: the file or folder.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: as the form with several URLs does.
    @discardableResult
    public func importResources(
        from url: URL, options: ImportOptions = ImportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ImportResult {
        try await importResources(from: [url], options: options, progress: progress)
    }

    /// Stores the resources of NDJSON that arrives as a sequence of bytes, such as the body of a download. Gzip is unpacked.
    ///
    /// A slow sequence holds no lock: the transaction ends when no megabyte is waiting. With ``ImportOptions/Transactions/files`` too, as the
    /// sequence has no files.
    ///
    /// - Parameters:
    ///   - bytes: the content. If it throws, the import ends with that error; finished transactions stay stored.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: as the form with URLs does; errors of the sequence.
    @discardableResult
    public func importResources<Bytes: AsyncSequence & Sendable>(
        from bytes: Bytes, options: ImportOptions = ImportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ImportResult where Bytes.Element == UInt8 {
        try await importStream(options, progress) { stream in
            let size = 1 << 16
            var chunk = Data(capacity: size)
            for try await byte in bytes {
                chunk.append(byte)
                guard chunk.count == size else { continue }
                guard await stream.put(chunk) else { return }
                chunk = Data(capacity: size)
            }
            _ = await stream.put(chunk)
        }
    }

    /// Stores the resources of NDJSON that arrives as a sequence of chunks, which may begin and end anywhere. Gzip is unpacked.
    ///
    /// - Parameters:
    ///   - chunks: the content. If it throws, the import ends with that error; finished transactions stay stored.
    ///   - options: how to read and store; see ``ImportOptions``.
    ///   - progress: called after each megabyte of text and each transaction.
    /// - Returns: how many resources were added, updated and so on, and the first rejected texts.
    /// - Throws: as the form with a sequence of bytes does.
    @discardableResult
    public func importResources<Chunks: AsyncSequence & Sendable>(
        from chunks: Chunks, options: ImportOptions = ImportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ImportResult where Chunks.Element == Data {
        try await importStream(options, progress) { stream in
            for try await chunk in chunks {
                guard await stream.put(chunk) else { return }
            }
        }
    }

    // MARK: - Work

    private func importSources(_ urls: [URL], _ options: ImportOptions, _ progress: StoreProgressHandler?) throws -> ImportResult {
        let sources = try urls.flatMap { try ImportSource.all(at: $0.path) }
        var importer = try importer(options, progress)
        try importer.run(sources, totalBytes: ImportSource.totalSize(sources))
        return ImportResult(counts: importer.counts, rejects: importer.faults)
    }

    private func importer(_ options: ImportOptions, _ progress: StoreProgressHandler?) throws -> Importer {
        let number: Int? = if case .batches(let number) = options.transactions { number } else { nil }
        return Importer(
            store: self, options: try options.content(release), policy: options.policy, origin: options.origin, resourcesPerWrite: number,
            listedFaults: options.listedRejects, handlers: options.handlers(progress))
    }

    /// Runs an import on a thread while the calling task feeds it.
    private func importStream(
        _ options: ImportOptions, _ progress: ProgressHandler<StoreProgress>?, _ feed: (ByteStream) async throws -> Void
    ) async throws -> ImportResult {
        let stream = ByteStream()
        async let result = importResources(of: stream, options, progress)
        do {
            try await feed(stream)
            // Many sequences just end when their task is cancelled.
            stream.finish(Task.isCancelled ? CancellationError() : nil)
        } catch {
            stream.finish(error)
        }
        return try await result
    }

    private func importResources(
        of stream: ByteStream, _ options: ImportOptions, _ progress: ProgressHandler<StoreProgress>?
    ) async throws -> ImportResult {
        // If the import ends early, or never begins, nobody reads on.
        defer { stream.stop() }
        return try await transfers.run(interruptsWrites: false) {
            // A thread that waits for bytes does not see the cancellation.
            Cancellation.current?.whenRequested { stream.finish(CancellationError()) }
            var importer = try self.importer(options, progress)
            try importer.run(.stream(stream))
            return ImportResult(counts: importer.counts, rejects: importer.faults)
        }
    }
}

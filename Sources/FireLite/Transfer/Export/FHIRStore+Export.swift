import FireLiteCore
import Foundation

// The tool's `export` as functions.

extension FHIRStore {
    /// Writes the resources of a snapshot of the store as NDJSON, one file `Type.ndjson` for each type.
    ///
    /// The files appear when all of them are complete, replace those of the same names, and only their owner can read and write them (mode 0600).
    /// If the task is cancelled or something fails, none appears.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; created with mode 0700 if it does not exist.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type.
    /// - Returns: how many resources and files were written.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release, `notAStore` for a resource that
    ///   cannot be read, unless the options skip it, `cannotOpen`; `TransferError`; `CancellationError`.
    @discardableResult
    public func export(
        to folder: URL, options: ExportOptions = ExportOptions(), progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws -> ExportResult {
        try export(to: folder, options, progress, isCancelled: { Task.isCancelled })
    }

    /// Writes the resources of a snapshot of the store as NDJSON to an open file, pipe or socket, one type after another.
    ///
    /// If the task is cancelled or something fails, a part was written.
    ///
    /// - Parameters:
    ///   - handle: where to write; not closed.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type.
    /// - Returns: how many resources were written.
    /// - Throws: as the form with a folder does.
    @discardableResult
    public func export(
        to handle: FileHandle, options: ExportOptions = ExportOptions(), progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws -> ExportResult {
        try export(toDescriptor: handle.fileDescriptor, options, progress, isCancelled: { Task.isCancelled })
    }

    // MARK: - Asynchronous forms

    /// Writes the resources of a snapshot of the store as NDJSON without blocking the caller, one file `Type.ndjson` for each type.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; created with mode 0700 if it does not exist.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    /// - Returns: how many resources and files were written.
    /// - Throws: as the blocking form does.
    @discardableResult
    public func export(
        to folder: URL, options: ExportOptions = ExportOptions(), progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> ExportResult {
        try await TransferWork.run { cancellation in
            try self.export(to: folder, options, progress, isCancelled: { cancellation.isRequested })
        }
    }

    /// Writes the resources of a snapshot of the store as NDJSON to an open file, pipe or socket without blocking the caller.
    ///
    /// - Parameters:
    ///   - handle: where to write; not closed, and not to be closed before this returns.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    /// - Returns: how many resources were written.
    /// - Throws: as the blocking form does.
    @discardableResult
    public func export(
        to handle: FileHandle, options: ExportOptions = ExportOptions(), progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> ExportResult {
        let descriptor = handle.fileDescriptor
        // The handle may close its descriptor when it is released.
        defer { withExtendedLifetime(handle) {} }
        return try await TransferWork.run { cancellation in
            try self.export(toDescriptor: descriptor, options, progress, isCancelled: { cancellation.isRequested })
        }
    }

    // MARK: - Work

    private func export(
        to folder: URL, _ options: ExportOptions, _ progress: (@Sendable (TransferProgress) -> Void)?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ExportResult {
        var exporter = try exporter(options, progress, isCancelled)
        let output = try ExportFolder(path: folder.path, database: path)
        try exporter.export(self, to: output)
        try output.finish()
        return exporter.counts
    }

    private func export(
        toDescriptor descriptor: Int32, _ options: ExportOptions, _ progress: (@Sendable (TransferProgress) -> Void)?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ExportResult {
        var exporter = try exporter(options, progress, isCancelled)
        do {
            try exporter.export(self, to: DescriptorOutput(descriptor, name: "output"))
        } catch is ReaderGone {
            throw TransferError.system("output", code: EPIPE)
        }
        return exporter.counts
    }

    private func exporter(
        _ options: ExportOptions, _ progress: (@Sendable (TransferProgress) -> Void)?, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> Exporter {
        var types: [String] = []
        for name in options.types ?? [] where !types.contains(name) {
            guard release.hasResourceType(named: name) else {
                throw FHIRStoreError(.invalidArgument, "'\(name)' is not a resource type of FHIR \(release.name)")
            }
            types.append(name)
        }
        var handlers = Exporter.Handlers()
        if let onUnreadable = options.onUnreadable { handlers.skip = onUnreadable }
        if let progress { handlers.progress = progress }
        handlers.isCancelled = isCancelled
        return Exporter(
            types: types, options: Exporter.Options(assignsIDs: options.assignsIDs, skips: options.onFault == .skip), handlers: handlers)
    }
}

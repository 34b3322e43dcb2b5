import FireLiteCore
import Foundation

// The tool's `export` as functions.

extension FHIRStore {
    /// Writes the resources of a snapshot of the store as NDJSON or XML, one file `Type.ndjson` or `Type.xml` for each type.
    ///
    /// The files appear when all of them are complete, replace those of the same names, and only their owner can read and write them (mode 0600).
    /// If the task is cancelled or something fails, none appears.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; created with mode 0700 if it does not exist.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type. An error that it throws ends the export.
    /// - Returns: how many resources and files were written.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release, `notAStore` for a resource that
    ///   cannot be read, unless the options skip it, `cannotOpen`; `FHIRXMLError` for content that XML cannot hold, unless they skip it;
    ///   `TransferError`; `CancellationError`.
    @discardableResult
    public func export(
        to folder: URL, options: ExportOptions = ExportOptions(), progress: StoreProgressHandler? = nil
    ) throws -> ExportResult {
        try export(to: folder, options, progress)
    }

    /// Writes the resources of a snapshot of the store as NDJSON or XML to an open file, pipe or socket, one type after another.
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
        to handle: FileHandle, options: ExportOptions = ExportOptions(), progress: StoreProgressHandler? = nil
    ) throws -> ExportResult {
        try export(toDescriptor: handle.fileDescriptor, options, progress)
    }

    // MARK: - Asynchronous forms

    /// Writes the resources of a snapshot of the store as NDJSON or XML without blocking the caller, one file for each type.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; created with mode 0700 if it does not exist.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    /// - Returns: how many resources and files were written.
    /// - Throws: as the blocking form does.
    @discardableResult
    public func export(
        to folder: URL, options: ExportOptions = ExportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ExportResult {
        try await reading { try self.export(to: folder, options, progress) }
    }

    /// Writes the resources of a snapshot of the store as NDJSON or XML to an open file, pipe or socket without blocking the caller.
    ///
    /// - Parameters:
    ///   - handle: where to write; not closed, and not to be closed before this returns.
    ///   - options: what to write; see ``ExportOptions``.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    /// - Returns: how many resources were written.
    /// - Throws: as the blocking form does.
    @discardableResult
    public func export(
        to handle: FileHandle, options: ExportOptions = ExportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ExportResult {
        let descriptor = handle.fileDescriptor
        // The handle may close its descriptor when it is released.
        defer { withExtendedLifetime(handle) {} }
        return try await reading { try self.export(toDescriptor: descriptor, options, progress) }
    }

    // MARK: - Work

    private func export(to folder: URL, _ options: ExportOptions, _ progress: StoreProgressHandler?) throws -> ExportResult {
        var exporter = try exporter(options, progress)
        let output = try ExportFolder(path: folder.path, database: path)
        try exporter.export(self, to: output)
        try output.finish()
        return exporter.counts
    }

    private func export(
        toDescriptor descriptor: Int32, _ options: ExportOptions, _ progress: StoreProgressHandler?
    ) throws -> ExportResult {
        var exporter = try exporter(options, progress)
        do {
            try exporter.export(self, to: DescriptorOutput(descriptor, name: "output"))
        } catch is ReaderGone {
            throw TransferError.system("output", code: EPIPE)
        }
        return exporter.counts
    }

    func exporter(_ options: ExportOptions, _ progress: StoreProgressHandler?) throws -> Exporter {
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
        return Exporter(
            types: types,
            options: Exporter.Options(assignsIDs: options.assignsIDs, skips: options.onFault == .skip, format: options.format),
            handlers: handlers)
    }
}

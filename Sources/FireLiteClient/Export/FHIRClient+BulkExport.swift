import FireLiteCore
import Foundation

extension FHIRClient {
    /// Exports data in bulk into files of NDJSON, which `FHIRStore.importResources` reads.
    ///
    /// The server prepares the files first; the wait follows its `Retry-After`. The folder keeps the state: if the export is interrupted,
    /// the same call goes on with it and loads only the files that are missing.
    ///
    /// Files on another server are loaded without authorization. A file with fewer resources than the server counts in it is an error, and loaded again by
    /// the next call.
    /// - Parameters:
    ///   - options: what is exported.
    ///   - destination: the folder for the files, which is created; one folder for each export.
    ///   - progress: called periodically. An error that it throws ends the call, which continues when it is repeated.
    /// - Throws: ``FHIRClientError``, with the code ``FHIRClientError/Code/file`` if the folder has another export;
    ///   ``AuthorizationError``; `CancellationError`.
    public func export(
        _ options: BulkExportOptions = BulkExportOptions(), to destination: URL,
        progress: ProgressHandler<BulkExportProgress>? = nil
    ) async throws -> BulkExportResult {
        let folder = destination.filePath
        do {
            try PrivateFile.makeFolder(folder)
        } catch { throw FHIRClientError(.file, "\(folder) cannot be created") }
        var state = try await startedExport(options, folder)
        if state.manifest == nil {
            do {
                state.manifest = try await manifest(state, progress)
            } catch let error as FHIRClientError where [404, 410].contains(error.status) {
                // The server does not know the export anymore, so the next call begins a new one.
                unlink(folder + "/" + BulkExportState.fileName)
                throw error
            }
            try state.write(folder)
        }
        return try await download(state, folder, progress)
    }

    /// Starts the export, unless the folder has it already.
    private func startedExport(_ options: BulkExportOptions, _ folder: String) async throws -> BulkExportState {
        let request = try options.request()
        let query = "\(base.absoluteString) \(request.path)?\(request.parameters.query)"
        if let state = try BulkExportState.read(folder) {
            guard state.query == query else {
                throw FHIRClientError(.file, "\(folder) has another export: use a folder for each")
            }
            return state
        }
        let response = try await send(request)
        guard response.status == 202, let location = response.fields["Content-Location"],
            let url = URL(string: location, relativeTo: try self.url(of: request))?.absoluteURL
        else { throw FHIRClientError(.invalidResponse, "\(request): the server does not start a bulk export") }
        let state = BulkExportState(query: query, statusURL: url.absoluteString, manifest: nil)
        try state.write(folder)
        return state
    }

    /// Waits for the list of files.
    private func manifest(
        _ state: BulkExportState, _ progress: ProgressHandler<BulkExportProgress>?
    ) async throws -> BulkExportState.Manifest {
        let request = FHIRRequest(.get, "$export", fields: ["Accept": MediaType.json])
        let url = try checkedAddress(state.statusURL, request)
        let clock = configuration.clock
        var delay = Duration.seconds(1)
        return try await configuration.retry.retrying(by: clock) {
            let response = try await RequestRun(self, request, url: url).send()
            if response.status != 202 {
                do {
                    return .done(try JSONDecoder().decode(BulkExportState.Manifest.self, from: response.body))
                } catch { throw FHIRClientError(.invalidResponse, "\(request): the list of exported files cannot be read") }
            }
            try ProgressReporter(progress).report(.preparing(response.fields["X-Progress"].map { String($0.prefix(100)) }))
            let asked = HTTPDate.retryAfter(response.fields["Retry-After"], now: clock.now())
            defer { delay = min(delay * 2, .seconds(30)) }
            return .early(asked ?? delay)
        }
    }

    private func download(
        _ state: BulkExportState, _ folder: String, _ progress: ProgressHandler<BulkExportProgress>?
    ) async throws -> BulkExportResult {
        guard let manifest = state.manifest else { throw FHIRClientError(.file, "\(folder) has no list of files") }
        var files: [BulkExportResult.File] = []
        var bytes = 0
        for (number, (content, file)) in manifest.all.enumerated() {
            let type = try FHIRRequest.checkedType(file.type ?? "Resource")
            let path = "\(folder)/\(content.rawValue).\(number + 1).\(type).ndjson"
            if !FileManager.default.fileExists(atPath: path) {
                bytes += try await download(file.url, to: path, count: file.count, isAnonymous: manifest.requiresAccessToken == false)
            }
            files.append(
                BulkExportResult.File(
                    content: content, typeName: type, url: URL(fileURLWithPath: path), count: file.count))
            try ProgressReporter(progress).report(.downloading(files: number + 1, of: manifest.all.count, bytes: bytes))
        }
        await forget(state)
        return BulkExportResult(transactionTime: manifest.transactionTime.flatMap { FHIRInstant($0) }, files: files)
    }

    /// Loads a file under another name first, so that a file with the final name is complete.
    private func download(_ address: String, to path: String, count: Int?, isAnonymous: Bool) async throws -> Int {
        let request = FHIRRequest(.get, "$export", fields: ["Accept": MediaType.fhirLines])
        var run = RequestRun(self, request, url: try checkedAddress(address, request))
        run.isAnonymous = isAnonymous
        return try await configuration.retry.retrying(by: configuration.clock) {
            do {
                return .done(try await download(run, to: path, count: count))
            } catch let error as HTTPTransportError {
                let failure = FHIRClientError(request, error)
                guard RetryPolicy.mayRepeat(error, isRepeatable: true) else { throw failure }
                return .failed(.failure(failure), retryAfter: nil, isSilence: error.code == .timedOut)
            }
        }
    }

    /// - Parameter count: the number of resources, as the server says; nil if it does not.
    private func download(_ run: RequestRun, to path: String, count: Int?) async throws -> Int {
        let response = try await run.stream()
        let partial = path + ".part"
        var (bytes, lines, isInLine) = (0, 0, false)
        do {
            let handle = try PrivateFile.create(partial)
            for try await piece in response.body {
                try handle.write(contentsOf: piece)
                bytes += piece.count
                guard count != nil else { continue }
                for byte in piece {
                    if byte == UInt8(ascii: "\n") {
                        isInLine = false
                    } else if !isInLine, byte > 0x20 {
                        (lines, isInLine) = (lines + 1, true)
                    }
                }
            }
            try handle.synchronize()
            try handle.close()
            if let count, lines < count {
                throw FHIRClientError(.invalidResponse, "a file of the bulk export has \(lines) of \(count) resources: export again")
            }
            guard rename(partial, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch let error where !(error is HTTPTransportError || error is CancellationError || error is FHIRClientError) {
            throw FHIRClientError(.file, "\(partial) cannot be written: check the disk and the permissions of its folder")
        }
        return bytes
    }

    /// Lets the server delete the files. If that fails, the server deletes them at a time of its own.
    private func forget(_ state: BulkExportState) async {
        let request = FHIRRequest(.delete, "$export")
        do { _ = try await RequestRun(self, request, url: checkedAddress(state.statusURL, request)).send() } catch {}
    }

    /// An address that the server gave.
    private func checkedAddress(_ address: String, _ request: FHIRRequest) throws -> URL {
        guard let url = URL(string: address), let target = Origin(url), configuration.isPrivate(target),
            target.scheme == "https" || origin.scheme == "http"
        else { throw FHIRClientError(.redirected, "\(request): the server gives an address that is not HTTPS") }
        return url
    }
}

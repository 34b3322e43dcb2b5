import FireLiteCore
import Foundation

/// The resources of a snapshot of the store as JSON, one by one: see ``FHIRStore/exportedLines(options:progress:)``.
public struct ExportedLines: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = String

    private let chunks: ExportedChunks

    init(chunks: ExportedChunks) { self.chunks = chunks }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var chunks: ExportedChunks.AsyncIterator
        private var lines = Data()[...]

        init(_ chunks: ExportedChunks.AsyncIterator) { self.chunks = chunks }

        /// The next resource; nil at the end.
        ///
        /// - Throws: `FHIRStoreError` as the export to a folder does; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> String? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
            if lines.isEmpty {
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                lines = chunk[...]
            }
            let end = lines.firstIndex(of: UInt8(ascii: "\n")) ?? lines.endIndex
            defer { lines = lines[end...].dropFirst() }
            return String(decoding: lines[..<end], as: UTF8.self)
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks.makeAsyncIterator()) }
}

extension FHIRStore {
    /// The resources of a snapshot of the store as NDJSON in pieces of whole lines, of about 64 KB each, for the body of a request or a file.
    ///
    /// ```swift
    /// for try await chunk in store.exportedChunks() { try await upload.send(chunk) }
    /// ```
    /// The snapshot is that of the moment in which the loop asks for its first element. A few pieces are read ahead on a thread and a
    /// connection of the store's own; a slow loop blocks nobody, but the write-ahead log cannot shrink meanwhile. A store in memory is copied
    /// first. Reading ends when the loop does, or when its task is cancelled.
    /// - Parameters:
    ///   - options: what to write; see ``ExportOptions``. Default: everything.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    public func exportedChunks(
        options: ExportOptions = ExportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) -> ExportedChunks {
        ExportedChunks(store: self, options: options, progress: progress)
    }

    /// The resources of a snapshot of the store as JSON, one text for each: the lines of ``exportedChunks(options:progress:)``.
    ///
    /// - Parameters:
    ///   - options: what to write; see ``ExportOptions``. Default: everything.
    ///   - progress: called after every 1,000 resources and after each type, on a thread of the library.
    public func exportedLines(
        options: ExportOptions = ExportOptions(), progress: ProgressHandler<StoreProgress>? = nil
    ) -> ExportedLines {
        ExportedLines(chunks: exportedChunks(options: options, progress: progress))
    }
}

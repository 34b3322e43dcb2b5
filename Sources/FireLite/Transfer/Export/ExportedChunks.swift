import FireLiteCore
import Foundation

/// The resources of a snapshot of the store as NDJSON, in pieces of whole lines: see ``FHIRStore/exportedChunks(options:progress:)``.
public struct ExportedChunks: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Data

    /// The size of a piece, unless one line is longer.
    static let size = 1 << 16
    /// The size of the pieces that wait for a slow loop.
    private static let capacity = 4 * size

    private let store: FHIRStore
    private let options: ExportOptions
    private let progress: ProgressHandler<StoreProgress>?

    init(store: FHIRStore, options: ExportOptions, progress: ProgressHandler<StoreProgress>?) {
        self.store = store
        self.options = options
        self.progress = progress
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let chunks: ReadAheadIterator<Data>

        init(_ chunks: ReadAheadIterator<Data>) { self.chunks = chunks }

        /// The next piece; nil at the end.
        ///
        /// - Throws: `FHIRStoreError` as the export to a folder does; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Data? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await chunks.next(isolation: actor)
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            ReadAheadIterator { [self] in
                store.readAhead(capacity: Self.capacity) { put in
                    // `put` stays on this thread, in this call.
                    try withoutActuallyEscaping(put) { put in
                        let output = LineChunks(size: Self.size) { try put($0, $0.count) }
                        // Their names say lines: a sequence has no form but NDJSON.
                        var options = options
                        options.format = .ndjson
                        var exporter = try store.exporter(options, progress)
                        try exporter.write(store, to: output)
                        try output.flush()
                    }
                }
            })
    }
}

/// Collects lines and passes them on in pieces of whole lines.
private final class LineChunks: ByteOutput {
    private let size: Int
    private let deliver: (Data) throws -> Void
    private var lines = Data()

    init(size: Int, deliver: @escaping (Data) throws -> Void) {
        self.size = size
        self.deliver = deliver
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        lines.append(contentsOf: bytes)
        if lines.count >= size, lines.last == UInt8(ascii: "\n") { try flush() }
    }

    func flush() throws {
        guard !lines.isEmpty else { return }
        let chunk = lines
        lines = Data(capacity: size)
        try deliver(chunk)
    }
}

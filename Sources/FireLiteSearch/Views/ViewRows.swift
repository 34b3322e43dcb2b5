import FireLite
import FireLiteFHIRPath

/// The rows of a view, read without blocking the caller: see `FHIRStore.rows(_:terminology:)`.
public struct ViewRows: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = ViewRow

    /// The size in bytes of the rows that wait for a slow loop.
    private static let capacity = 1 << 20

    private let store: FHIRStore
    private let view: ViewDefinition
    private let terminology: (any FHIRPathTerminology & Sendable)?

    init(store: FHIRStore, view: ViewDefinition, terminology: (any FHIRPathTerminology & Sendable)?) {
        self.store = store
        self.view = view
        self.terminology = terminology
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let rows: ReadAheadIterator<ViewRow>

        init(_ rows: ReadAheadIterator<ViewRow>) { self.rows = rows }

        /// The next row; nil at the end.
        ///
        /// - Throws: `ViewError`; `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> ViewRow? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ViewRow? {
            try await rows.next(isolation: actor)
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            ReadAheadIterator { [self] in
                store.readAhead(capacity: Self.capacity) { put in
                    try store.forEachRow(of: view, terminology: terminology) { try put($0, $0.size) }
                }
            })
    }
}

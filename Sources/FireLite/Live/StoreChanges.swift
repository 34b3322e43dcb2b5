/// The commits of a store, as they happen: see `FHIRStore.changes()`.
///
/// For one loop; call `changes()` again for another. Ends when its task is cancelled and when the store is closed.
public struct StoreChanges: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = StoreCommit
    /// The sequence throws nothing.
    public typealias Failure = Never
    private let buffer: ChangeBuffer

    init(_ store: FHIRStore) { buffer = ChangeBuffer(store) }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let buffer: ChangeBuffer

        fileprivate init(_ buffer: ChangeBuffer) { self.buffer = buffer }

        /// The next commit; nil if the task was cancelled or the store closed.
        public mutating func next() async -> StoreCommit? { await buffer.next() }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreCommit? { await buffer.next() }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer) }
}

extension FHIRStore {
    /// The changes of each commit from now on, in the order of commits.
    ///
    /// ```swift
    /// for await commit in store.changes() {
    ///     for change in commit.resources { print(change.kind, change.typeName, change.id ?? change.pk) }
    /// }
    /// ```
    /// No commit is lost while the loop is slow: up to 10,000 commits with 100,000 changes are kept; beyond that they become one element without
    /// details, and so does a commit of more than 10,000 resources. Commits of other connections and processes are noticed
    /// at the next write of this store, or `Configuration.foreignCommitInterval` after they were written, and reported without details.
    /// - Complexity: writes record their changes while somebody observes, about 0.2 µs a resource; otherwise nothing.
    public func changes() -> StoreChanges { StoreChanges(self) }
}

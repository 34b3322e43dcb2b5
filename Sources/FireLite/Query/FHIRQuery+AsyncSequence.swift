import FireLiteCore

/// The pages of a query's results, read one after the other without blocking the caller.
///
/// ```swift
/// for try await page in store.query(Patient.self).sort({ $0.birthDate.ascending }).pages(of: 50) { show(page) }
/// ```
/// Each page is fetched on demand, from the store as it is then; the order is stable while others write. Swift's `Sequence` cannot
/// throw, so the blocking form is `next()`.
extension QueryPages: AsyncSequence {
    /// The elements of the sequence.
    public typealias Element = [Resource]

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: QueryPages

        init(pages: QueryPages) { self.pages = pages }

        /// The next page; nil at the end.
        ///
        /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> [Resource]? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [Resource]? {
            let results = try await pages.fetchNext()
            pages = results.value.pages
            return results.value.page
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    fileprivate func fetchNext() async throws -> HandedOver<(pages: QueryPages, page: [Resource]?)> {
        let pages = self
        return try await store.reading {
            var pages = pages
            let page = try pages.next()
            return HandedOver((pages, page))
        }
    }
}

/// A query's results, read in pages without blocking the caller.
public struct QueryResults<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Resource
    private let pages: QueryPages<Resource>

    init(pages: QueryPages<Resource>) { self.pages = pages }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: QueryPages<Resource>.AsyncIterator
        private var page: [Resource] = []
        private var place = 0

        init(pages: QueryPages<Resource>.AsyncIterator) { self.pages = pages }

        /// The next resource; nil at the end.
        ///
        /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Resource? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Resource? {
            if place == page.count {
                guard let next = try await pages.next(isolation: actor) else { return nil }
                page = next
                place = 0
            }
            place += 1
            return page[place - 1]
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}

extension FHIRQuery {
    /// The results one by one, for `for try await`; `size` of them are fetched at once. Each page is fetched from the store as it is then;
    /// `forEach(batch:_:)` reads all from one snapshot.
    ///
    /// - Precondition: `size` is at least 1.
    public func results(fetching size: Int = 256) -> QueryResults<Resource> { QueryResults(pages: pages(of: size)) }
}

import FireLiteCore

/// The resources that match a search, of all pages: see ``FHIRPages/matches``.
public struct FHIRMatches<Resource: FHIRResource>: AsyncSequence, Sendable {
    public typealias Element = Resource
    public typealias Failure = any Error
    let pages: FHIRPages<Resource>

    /// Reads resources.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: FHIRPages<Resource>.AsyncIterator
        private var page: [Resource] = []
        private var position = 0

        init(_ pages: FHIRPages<Resource>) { self.pages = pages.makeAsyncIterator() }

        /// The next resource; nil after the last one.
        ///
        /// - Throws: as `FHIRPages`.
        public mutating func next() async throws -> Resource? { try await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Resource? {
            while position == page.count {
                guard let next = try await pages.next(isolation: actor) else { return nil }
                page = next.matches
                position = 0
            }
            defer { position += 1 }
            return page[position]
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages) }
}

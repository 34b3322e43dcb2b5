import FireLiteCore
import Foundation

/// The pages of a search, each read when the loop asks for it: see ``FHIRClient/search(_:_:usesPost:)``.
///
/// For any number of loops; each begins with the first page.
public struct FHIRPages<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = FHIRPage<Resource>
    /// The errors of the sequence.
    public typealias Failure = any Error
    let client: FHIRClient
    let request: FHIRRequest
    /// Where the first page is, for a search that goes on.
    let start: URL?

    /// Reads pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let client: FHIRClient
        private let request: FHIRRequest
        private var place: PagePlace

        init(_ pages: FHIRPages) {
            client = pages.client
            request = pages.request
            place = PagePlace(pages.start)
        }

        /// The next page; nil after the last one.
        ///
        /// - Throws: ``FHIRClientError``, also if the links lead in a circle; ``AuthorizationError``; `CancellationError`.
        public mutating func next() async throws -> FHIRPage<Resource>? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> FHIRPage<Resource>? {
            guard !place.isAtEnd else { return nil }
            let page = try await client.page(Resource.self, request, at: place.url)
            try place.advance(to: page.next, page.content, request)
            return page
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// The resources that match, of all pages.
    public var matches: FHIRMatches<Resource> { FHIRMatches(pages: self) }
}

/// A page of a search.
public struct FHIRPage<Resource: FHIRResource> {
    /// The resources that match.
    public let matches: [Resource]
    /// Others that the search asked for, by `_include` and `_revinclude`.
    public let included: [FHIRResource]
    /// What the server says about the search.
    public let issues: [OutcomeIssue]
    /// The number of matches on all pages; nil if the server does not say.
    public let total: Int?
    /// The address of the next page; nil if this is the last one.
    public let next: URL?
    /// When the server answered, by its own clock: `meta.lastUpdated` of the Bundle, or the field `Date`.
    public let serverTime: Date?
    let content: PageContent
}

/// The resources that match a search, of all pages: see ``FHIRPages/matches``.
public struct FHIRMatches<Resource: FHIRResource>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Resource
    /// The errors of the sequence.
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

        /// Does what `next()` does, for a caller on an actor.
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

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages) }
}

import FireLiteCore
import Foundation

/// The pages of a search, each read when the loop asks for it: see ``FHIRClient/search(_:_:usesPost:)``.
///
/// For any number of loops; each begins with the first page.
public struct FHIRPages<Resource: FHIRResource>: AsyncSequence, Sendable {
    public typealias Element = FHIRPage<Resource>
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

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> FHIRPage<Resource>? {
            guard !place.isAtEnd else { return nil }
            let page = try await client.page(Resource.self, request, at: place.url)
            try place.advance(to: page.next, request)
            return page
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// The resources that match, of all pages.
    public var matches: FHIRMatches<Resource> { FHIRMatches(pages: self) }
}

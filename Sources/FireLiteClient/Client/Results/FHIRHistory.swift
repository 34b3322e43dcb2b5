import Foundation

/// The pages of a history, each read when the loop asks for it: see ``FHIRClient/history(_:id:_:)``.
public struct FHIRHistory: AsyncSequence, Sendable {
    public typealias Element = FHIRHistoryPage
    public typealias Failure = any Error
    let client: FHIRClient
    let request: FHIRRequest
    let start: URL?

    /// Reads pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let client: FHIRClient
        private let request: FHIRRequest
        private var place: PagePlace

        init(_ history: FHIRHistory) {
            client = history.client
            request = history.request
            place = PagePlace(history.start)
        }

        /// The next page; nil after the last one.
        ///
        /// - Throws: ``FHIRClientError``, also if the links lead in a circle; ``AuthorizationError``; `CancellationError`.
        public mutating func next() async throws -> FHIRHistoryPage? { try await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> FHIRHistoryPage? {
            guard !place.isAtEnd else { return nil }
            let page = try await client.historyPage(request, at: place.url)
            try place.advance(to: page.next, request)
            return page
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

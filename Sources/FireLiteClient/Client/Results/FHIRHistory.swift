import FireLiteCore
import Foundation

/// The pages of a history, each read when the loop asks for it: see ``FHIRClient/history(_:id:_:)``.
public struct FHIRHistory: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = FHIRHistoryPage
    /// The errors of the sequence.
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

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> FHIRHistoryPage? {
            guard !place.isAtEnd else { return nil }
            let page = try await client.historyPage(request, at: place.url)
            try place.advance(to: page.next, request)
            return page
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// A version in a history.
public struct FHIRHistoryEntry {
    /// How the version was made: POST, PUT, PATCH or DELETE; nil if the server does not say.
    public let method: HTTPMethod?
    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// The version's id; nil if the server does not say.
    public let version: String?
    /// When the version was made, by the server's clock; nil if the server does not say.
    public let lastModified: Date?
    /// The version; nil for a deletion.
    public let resource: FHIRResource?

    /// Whether the resource was deleted.
    public var isDeletion: Bool { method == .delete }

    package init?(_ entry: FHIRObject) {
        let request = entry.child("request")
        let response = entry.child("response")
        method = request?.text("method").map { HTTPMethod(rawValue: $0) }
        let resource = entry.takeResource("resource")
        let place =
            ResourceLocation(response?.text("location")) ?? ResourceLocation(request?.text("url"))
            ?? ResourceLocation(entry.text("fullUrl"))
        guard let typeName = resource?.resourceType ?? place?.typeName, let id = resource?.id ?? place?.id else { return nil }
        self.typeName = typeName
        self.id = id
        let meta = resource?.child("meta")
        version = meta?.text("versionId") ?? FHIRRequest.version(inEntityTag: response?.text("etag")) ?? place?.version
        lastModified = (meta?.instant("lastUpdated") ?? response?.instant("lastModified"))?.date
        self.resource = method == .delete ? nil : resource
    }
}

/// A page of a history, the newest version first.
public struct FHIRHistoryPage {
    /// The versions.
    public let entries: [FHIRHistoryEntry]
    /// The number of versions on all pages; nil if the server does not say.
    public let total: Int?
    /// The address of the next page; nil if this is the last one.
    public let next: URL?
    /// When the server answered, by its own clock.
    public let serverTime: Date?
}

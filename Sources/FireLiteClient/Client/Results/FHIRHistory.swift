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
            try place.advance(to: page.next, page.content, request)
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

    /// - Parameter server: the server that has answered. Addresses at others say nothing of its resources.
    /// - Returns: nil if the entry does not say which resource it is about, by itself or by its address.
    /// - Throws: `ContradictedEntry` if it is about several.
    init?(_ entry: FHIRObject, of server: Origin) throws {
        let request = entry.child("request")
        let response = entry.child("response")
        method = request?.text("method").map { HTTPMethod(rawValue: $0) }
        let resource = entry.takeResource("resource")
        let texts = [request?.text("url"), entry.text("fullUrl"), response?.text("location")]
        let places = texts.map { ResourceLocation($0, at: server) }
        var subjects = Set(places.compactMap { $0.map { Subject(typeName: $0.typeName, id: $0.id) } })
        if let resource, let id = resource.id { subjects.insert(Subject(typeName: resource.resourceType, id: id)) }
        let isOfType = resource.map { resource in subjects.allSatisfy { $0.typeName == resource.resourceType } } ?? true
        guard isOfType, subjects.count < 2 else { throw ContradictedEntry() }
        // A deletion is about what was deleted: its own address, and not where an answer points to.
        let isNamed = resource != nil || places[0] != nil || places[1] != nil
        guard isNamed, let subject = subjects.first else { return nil }
        let (typeName, id) = (subject.typeName, subject.id)
        let place = places[2] ?? places[0] ?? places[1]
        self.typeName = typeName
        self.id = id
        let meta = resource?.child("meta")
        version = meta?.text("versionId") ?? FHIRRequest.version(inEntityTag: response?.text("etag")) ?? place?.version
        lastModified = (meta?.instant("lastUpdated") ?? response?.instant("lastModified"))?.date
        self.resource = method == .delete ? nil : resource
    }
}

/// A resource that an entry is about.
private struct Subject: Hashable {
    let typeName: String
    let id: String
}

/// An entry of a search or history whose request, addresses and resource are not about the same resource, so that nobody knows which it is about.
struct ContradictedEntry: Error {}

extension FHIRClient {
    /// The entries of a page that say which resource they are about.
    ///
    /// - Throws: `FHIRClientError.invalidResponse` if an entry contradicts itself.
    package func historyEntries(_ received: ReceivedBundle) throws -> [FHIRHistoryEntry] {
        do {
            return try received.bundle.children("entry").compactMap { try FHIRHistoryEntry($0, of: origin) }
        } catch is ContradictedEntry { throw Self.contradiction }
    }

    /// The entries of a page that say which resource they are about, without those that contradict themselves: who uses this asks for each resource
    /// that is not among them by itself.
    package func undisputedEntries(_ received: ReceivedBundle) -> [FHIRHistoryEntry] {
        received.bundle.children("entry").compactMap { try? FHIRHistoryEntry($0, of: origin) }
    }

    /// What is thrown for an entry that contradicts itself.
    package static var contradiction: FHIRClientError {
        FHIRClientError(
            .invalidResponse,
            "the answer has an entry whose request, addresses and resource are not about the same resource, so nothing of it is taken over")
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
    let content: PageContent
}
